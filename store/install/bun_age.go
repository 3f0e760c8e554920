package install

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// bunTimes is a program for bun that writes what registries say of packages: bun takes versions of which a registry
// tells no time, and keeps none of the times.
const bunTimes = `const fs = require("fs"), [ask, ca, out] = process.argv.slice(1), times = {};
const tls = fs.existsSync(ca) ? {tls: {ca: [...require("tls").rootCertificates, fs.readFileSync(ca, "utf8")]}} : {};
const all = JSON.parse(fs.readFileSync(ask, "utf8"));
const next = async () => { for (let one; one = all.pop(); ) {
	const answer = await fetch(one.url, {headers: one.headers ?? {}, ...tls});
	if (!answer.ok) throw new Error("GET " + one.url + " - " + answer.status);
	times[one.name] = (await answer.json()).time ?? {};
} };
try { await Promise.all(Array.from({length: 8}, next)); }
catch (e) { console.error("error: " + e.message); process.exit(1); }
fs.writeFileSync(out, JSON.stringify(times));`

// A bunQuestion is a package whose registry is asked.
type bunQuestion struct {
	Name    string            `json:"name"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

// bunAges demands of each package that its registry says when the version was published, and that this is not after
// job.before.
func bunAges(ctx context.Context, j *job, locked []bunLocked) error {
	var all []bunQuestion
	for _, e := range locked {
		at := j.settings.of(e.name)
		where := at + strings.Replace(e.name, "/", "%2f", 1)
		all = append(all, bunQuestion{Name: e.name, URL: where, Headers: bunHeaders(j, at)})
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	ask, answer := filepath.Join(j.private, "ask.json"), filepath.Join(j.private, "times.json")
	if err := errors.Join(j.write(ask, text), bunConfigure(j, nil)); err != nil {
		return err
	}
	s := step{args: []string{"--config=" + filepath.Join(j.private, "bunfig.toml"), "-e", bunTimes, ask,
		filepath.Join(j.private, "ca.pem"), answer}, env: npmVariables(j)}
	if err := j.run(ctx, s); err != nil {
		return err
	}
	if err := j.remove(filepath.Join(j.private, "ask.json")); err != nil { // it has the log-ins
		return err
	}
	root, err := os.OpenRoot(j.private)
	if err != nil {
		return err
	}
	defer root.Close()
	if text, err = readRegular(root, "times.json", 256<<20); err != nil {
		return err
	}
	var times map[string]map[string]string
	if err := json.Unmarshal(text, &times); err != nil {
		return err
	}
	for _, e := range locked {
		if err := oldEnough(j, e.name, e.version, times[e.name][e.version]); err != nil {
			return err
		}
	}
	return nil
}

// bunHeaders log in at a registry, with what npmrc(5) has for that URL.
func bunHeaders(j *job, registry string) map[string]string {
	u, err := url.Parse(registry)
	if err != nil {
		return nil
	}
	has := map[string]string{}
	for _, l := range j.settings.logins {
		if i := strings.LastIndex(l.key, ":"); i > 0 && strings.HasPrefix("//"+u.Host+u.Path, l.key[:i]) {
			has[l.key[i+1:]] = l.value
		}
	}
	password, _ := base64.StdEncoding.DecodeString(has["_password"])
	basic := has["_auth"]
	if has["username"] != "" {
		basic = base64.StdEncoding.EncodeToString([]byte(has["username"] + ":" + string(password)))
	}
	switch {
	case has["_authToken"] != "":
		return map[string]string{"Authorization": "Bearer " + has["_authToken"]}
	case basic != "":
		return map[string]string{"Authorization": "Basic " + basic}
	}
	return nil
}
