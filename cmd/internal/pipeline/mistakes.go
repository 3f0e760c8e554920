package pipeline

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/profile"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A review looks at what the flags of one launch say, before it starts: at what cannot be followed, and at what has no
// effect.
type review struct {
	line    *Line
	policy  *policy.Policy // the launch's: absolute paths, all defaults
	home    string         // the server's
	profile *profile.Profile
	added   map[string]int // how many of a key's paths the profile gave: the first ones
	notes   []string       // lines for standard error
}

// pathKeys are the keys whose paths a launch looks up.
var pathKeys = [...]string{
	"filesystem.allowRead", "filesystem.allowWrite", "filesystem.denyRead", "filesystem.denyWrite",
}

// socketKey is the key of sockets, whose paths the launch itself looks up.
const socketKey = "network.allowUnixSockets"

// pathsOf are the paths of one of pathKeys, or of socketKey.
func pathsOf(p *policy.Policy, key string) []string {
	switch key {
	case "filesystem.allowRead":
		return p.Filesystem.AllowRead
	case "filesystem.allowWrite":
		return p.Filesystem.AllowWrite
	case "filesystem.denyRead":
		return p.Filesystem.DenyRead
	case socketKey:
		return p.Network.AllowUnixSockets
	}
	return p.Filesystem.DenyWrite
}

// A placed path is one of the policy, absolute, with the place where it was written.
type placedPath struct {
	where, flag string // "--allow-read", or the file and the JSON pointer; flag is "" for the latter
	written     string // as the user wrote it, or the absolute path
	path        string
}

// placed are the paths of a key: those of a profile, those of the document, those of the flags.
func (r *review) placed(key string) (all []placedPath) {
	var given []placedPath
	for _, s := range r.line.Settings {
		if s.Key == key {
			given = append(given, placedPath{where: s.Flag, flag: s.Flag, written: s.Value})
		}
	}
	paths := pathsOf(r.policy, key)
	document, added := len(paths)-len(given), r.added[key]
	for i, path := range paths {
		at := placedPath{written: path}
		switch {
		case i < added:
			at.where = "profile " + r.profile.Package + ": " + key[strings.Index(key, ".")+1:]
		case i < document:
			at.where = r.line.Source.String() + ": /" + strings.ReplaceAll(key, ".", "/") + "/" +
				strconv.Itoa(i-added)
		default:
			at = given[i-document]
		}
		at.path = path
		all = append(all, at)
	}
	return all
}

// mistakes are the lines on a policy that no launch could follow, in the words of the flags.
func (r *review) mistakes() []string {
	const most = 20
	if lines := r.missing(); len(lines) > most {
		return append(lines[:most], strconv.Itoa(len(lines)-most)+" more paths are missing")
	} else if len(lines) > 0 {
		return lines
	}
	if err := reexec.KnownCalls(r.policy); err != nil {
		return r.line.Source.Lines(err, r.line.FlagOf)
	}
	if err := r.line.files.check(&r.policy.Filesystem); err != nil {
		return []string{err.Error()}
	}
	own := strconv.Itoa(os.Geteuid()) + ":" + strconv.Itoa(os.Getegid())
	if user := r.line.Given("user"); user != "" && user != own && os.Geteuid() > 0 {
		return []string{"--user " + user + ": only root starts a server as another user, and this is user " + own +
			": leave --user out"}
	}
	return nil
}

// fresh are file systems that are made anew for each server, whatever the host's have.
var fresh = [...]string{"/proc", "/sys", "/dev"}

// missing are the lines on paths of the policy that are not there. A launch would refuse the first of them, without the
// place where it was written.
func (r *review) missing() (lines []string) {
	for _, key := range pathKeys {
		for _, at := range r.placed(key) {
			if !strings.HasPrefix(at.path, "-") && !inside(at.path, fresh[:]) && !Exists(at.path) {
				lines = append(lines, at.where+" "+at.shown()+": no such file or directory"+at.advice())
			}
		}
	}
	if cwd := r.policy.Cwd; cwd != "" && !Exists(cwd) {
		at := placedPath{where: "cwd", written: cwd}
		if flag := r.line.FlagOf("cwd"); flag != "" {
			at = placedPath{where: flag, flag: flag, written: r.line.Given("cwd")}
		}
		// The server's home, and what is made for it, are there inside alone.
		if why := at.shell(); why != "" || !inside(cwd, append([]string{r.home, "/tmp/home"}, fresh[:]...)) {
			lines = append(lines, at.where+" "+cwd+": no such file or directory"+why)
		}
	}
	return lines
}

// places are for the order the values that refusals name, and where each was written.
func (r *review) places() (all []order.Place) {
	const most = 200 // paths: a policy of more is a program's
	for _, key := range append(pathKeys[:], socketKey) {
		for _, at := range r.placed(key) {
			path := strings.TrimPrefix(at.path, "-")
			if all = append(all, order.Place{Key: key, Value: path, Text: at.where + " " + path}); len(all) > most {
				return nil
			}
		}
	}
	if flag := r.line.FlagOf("cwd"); flag != "" {
		all = append(all, order.Place{Key: "cwd", Value: r.policy.Cwd, Text: flag + " " + r.policy.Cwd})
	}
	if flag := r.line.FlagOf("state"); flag != "" {
		name := flag + " " + r.policy.State
		all = append(all, order.Place{Key: "state", Value: r.policy.State, Text: name})
		for _, grant := range slices.Concat(r.policy.Filesystem.AllowRead, r.policy.Filesystem.AllowWrite) {
			if inside(r.home, []string{grant}) { // a grant that shows the host's home
				all = append(all, order.Place{Key: "state", Value: grant, Text: name + ": " + grant})
			}
		}
	}
	return all
}
