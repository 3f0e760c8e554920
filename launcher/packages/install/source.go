package install

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// userOf returns a function for the user of this process, which looks the user up once.
func userOf(o *Options) func() (job.User, error) {
	return sync.OnceValues(func() (job.User, error) {
		if home := o.user; home != "" {
			return job.User{Home: home, Config: filepath.Join(home, ".config")}, nil
		}
		p, err := places.Of(os.Getenv)
		return job.User{Home: platform.UserHome(os.Getenv("HOME")), Config: filepath.Dir(p.Config)}, err
	})
}

// source is all that decides where packages come from, as one word: the manager's program, by its name and behind its
// links, for a Python loads files beside its name; the configuration that the program reads, the registries of the
// project if they count, and the way to the registries, which the environment may choose. An install is found by a
// start with the same source, and by no other: whoever sends connections elsewhere, or has another authority trusted,
// does so for starts that say the same.
func (f *origin) source(q *job.Question) (string, error) {
	sum := sha256.New()
	add := func(kind string, words ...string) { fmt.Fprintf(sum, "%s %q\n", kind, words) } // no two kinds say the same
	add("program", f.row.Name, q.Program, platform.Resolved(q.Program))
	if path := order.Lookup(f.Env, "PATH"); !f.isUsers("PATH", path) { // the program itself starts others by it
		add("PATH", path)
	}
	for _, file := range q.Files {
		addFile(sum, file, deciding)
	}
	if f.RegistryFromProject {
		add("project")
	}
	for _, name := range slices.Sorted(maps.Keys(q.Project)) {
		add("project", name, q.Project[name])
	}
	add("way", f.way()...)
	for _, variable := range loginVariables(f, q) { // a registry may have other packages for another's log-in
		add("login", variable)
	}
	if err := addAuthorities(sum, f.authorities()); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// loginVariables are those that the user's files name, as ${TOKEN}, and that are not the user's word, where log-ins are
// taken.
func loginVariables(f *origin, q *job.Question) (all []string) {
	if !f.RegistryAuth {
		return nil
	}
	for _, file := range q.Files {
		b, _ := job.ReadConfiguration(file)
		for _, found := range job.Variable().FindAllStringSubmatch(string(b), -1) {
			if value := order.Lookup(f.Env, found[1]); !f.isUsers(found[1], value) {
				all = append(all, found[1]+"="+value)
			}
		}
	}
	return all
}

// isUsers reports whether a variable is the user's word.
func (f *origin) isUsers(name, value string) bool {
	return value == "" || !f.stranger && platform.IsUsers(name, value)
}

// Bounds of the certificates: the files and folders that variables name, the files in those, and the bytes of all.
const (
	mostAuthorities    = 16
	mostAuthorityFiles = 1024
	mostAuthorityBytes = 4 << 20
)

// addFile adds the path and the text of a file, if that is there, or why the file cannot be read.
func addFile(sum hash.Hash, path string, seen func([]byte) []byte) (read int) {
	b, err := job.ReadConfiguration(path)
	switch {
	case job.IsMissing(err):
	case err != nil:
		fmt.Fprintf(sum, "file %q %q\n", path, err)
	default:
		fmt.Fprintf(sum, "file %q %x\n", path, sha256.Sum256(seen(b)))
	}
	return len(b)
}

// addAuthorities adds the certificates that variables name. An entry may name any path, and each start reads them.
func addAuthorities(sum hash.Hash, all []string) error {
	if len(all) > mostAuthorities {
		return fmt.Errorf("variables name %d files and folders of certificates: more than %d", len(all),
			mostAuthorities)
	}
	files, left := 0, mostAuthorityBytes
	for _, path := range all {
		fmt.Fprintf(sum, "authority %q\n", path)
		within, err := authorityFiles(path)
		if err != nil {
			return err
		}
		for _, file := range within {
			if _, err := platform.Follow(file); errors.Is(err, platform.ErrManyNames) {
				return fmt.Errorf("%s: %w", file, err)
			}
			left -= addFile(sum, file, func(b []byte) []byte { return b })
			if files++; files > mostAuthorityFiles || left < 0 {
				return fmt.Errorf("%s: with those before, more than %d files of certificates or %d bytes", path,
					mostAuthorityFiles, mostAuthorityBytes)
			}
		}
	}
	return nil
}

// authorityFiles are a file, or those of a folder, but for the system's own, which are the same for everybody.
func authorityFiles(path string) (files []string, err error) {
	if _, err := platform.Follow(path); errors.Is(err, platform.ErrManyNames) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	path = platform.Resolved(path)
	isSystems := func(folder string) bool { return platform.Within(path, folder) }
	if !filepath.IsAbs(path) || slices.ContainsFunc([]string{"/etc", "/usr", "/nix/store", "/gnu/store"}, isSystems) {
		return nil, nil
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return []string{path}, nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return []string{path}, nil
	}
	defer folder.Close()
	names, err := folder.Readdirnames(mostAuthorityFiles + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(names) > mostAuthorityFiles {
		return nil, fmt.Errorf("%s has more than %d files: too many for a folder of certificates", path,
			mostAuthorityFiles)
	}
	slices.Sort(names)
	for _, name := range names {
		files = append(files, filepath.Join(path, name))
	}
	return files, nil
}

// deciding is a configuration without its log-ins, which change every day for some.
func deciding(text []byte) []byte { return job.WithoutLogins(text, job.RedactAll) } // with one space between words

// wayVariables choose the way to the registries, and authorityVariables the certificates that are trusted on it. Of the
// environment that a client gave, an install has these and PATH.
var (
	wayVariables = []string{"https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY",
		"no_proxy", "NO_PROXY"}
	authorityVariables = []string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_SSL_CERT_FILE",
		"PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"}
)

// way returns the wayVariables that are set: in the environment of this process, by which the launcher reaches hosts,
// and in the launch's, which the program gets.
func (f *origin) way() (all []string) {
	for _, name := range wayVariables {
		if value := os.Getenv(name); value != "" {
			all = append(all, "process "+name+"="+value)
		}
		if value := order.Lookup(f.Env, name); value != "" {
			all = append(all, name+"="+value)
		}
	}
	return all
}

// authorities are the files and folders that are trusted, each once.
func (f *origin) authorities() (all []string) {
	for _, name := range authorityVariables {
		value := order.Lookup(f.Env, name)
		places := []string{value}
		if name == "SSL_CERT_DIR" {
			places = filepath.SplitList(value)
		}
		for _, at := range places {
			if at != "" && !slices.Contains(all, at) {
				all = append(all, at)
			}
		}
	}
	return all
}

// ownEnv is the environment of an install: the user's home, and the variables that a launch may choose.
func (f *origin) ownEnv(u job.User) []string {
	env := []string{"HOME=" + u.Home, "PATH=" + f.path()}
	for _, name := range slices.Concat(wayVariables, authorityVariables) {
		if value, set := order.Variable(f.Env, name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}
