package pipeline

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// envFiles are the files of --env-file.
type envFiles []envFile

// An envFile is a file of variables by its absolute path, as given, and by the path that was opened, "" where the
// system does not say that.
type envFile struct {
	path, opened string
}

const (
	maxEnvFile     = 1 << 20
	envFileTimeout = 5 * time.Second
)

// readEnvFile takes the variables of one file. Flags are stronger, wherever they stand.
func (l *Line) readEnvFile(file string) error {
	doc, opened, err := platform.ReadDocumentFile(file, maxEnvFile, envFileTimeout)
	if err != nil {
		return errors.New(file + ": " + cli.Cause(err))
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	variables, err := Variables(doc, file)
	if err != nil {
		return err
	}
	var found []launchflags.Setting
	for _, v := range variables {
		found = append(found, launchflags.Setting{Flag: "--env-file", Key: "env", Value: v})
	}
	l.files = append(l.files, envFile{path: path, opened: opened})
	own := slices.IndexFunc(l.Settings, func(s launchflags.Setting) bool { return s.Flag != "--env-file" })
	if own < 0 {
		own = len(l.Settings)
	}
	l.Settings = slices.Insert(l.Settings, own, found...)
	return nil
}

// Variables are the lines NAME=VALUE of a file of variables.
func Variables(doc []byte, file string) (all []string, err error) {
	n := 0
	for line := range strings.SplitSeq(strings.TrimPrefix(string(doc), "\ufeff"), "\n") { // Windows' editors begin so
		n++
		v, err := variable(strings.TrimSuffix(line, "\r"))
		if err != nil {
			return nil, errors.New(file + ":" + strconv.Itoa(n) + ": " + err.Error())
		}
		if v != "" {
			all = append(all, v)
		}
	}
	return all, nil
}

// variable is NAME=VALUE of one line, or "". An error has nothing of the line but a name: the rest may be a secret.
func variable(line string) (string, error) {
	line = strings.TrimLeft(line, " \t")
	if line == "" || line[0] == '#' {
		return "", nil
	}
	name, value, ok := strings.Cut(line, "=")
	switch {
	case !ok:
		return "", errors.New("no NAME=VALUE")
	case strings.HasPrefix(name, "export "):
		return "", errors.New("no shell reads this file: leave export out")
	case strings.Trim(name, " \t") != name:
		return "", errors.New("a space beside the =: write NAME=VALUE")
	}
	if strings.HasPrefix(value, `"`) {
		if len(value) < 2 || !strings.HasSuffix(value, `"`) {
			return "", errors.New(name + ": the value begins with a double quote and does not end with one")
		}
		value = value[1 : len(value)-1]
	}
	line = name + "=" + value
	return line, new(policy.Policy).Set("env", line)
}

// check refuses a file that is reached by a link inside a write grant: an earlier run of the server may have made that
// link, and would read another file's secrets in its environment.
func (e envFiles) check(files *policy.Filesystem) error {
	if runtime.GOOS != "linux" || len(e) == 0 {
		return nil // elsewhere no confinement keeps a server from the user's files
	}
	for _, f := range e {
		end, err := End(f.path, files)
		if err == nil && f.opened != "" && end != f.opened {
			err = errLinked
		}
		if err != nil {
			return errors.New("--env-file " + f.path + ": " + err.Error())
		}
	}
	return nil
}

var errLinked = errors.New("is reached by a link that the server can change: name the file itself, or keep the file " +
	"outside of what the server may write")

// End is where an absolute path leads. An error says that a server with these grants could have it lead elsewhere.
func End(path string, files *policy.Filesystem) (end string, err error) {
	end, link := follow(path, grantPlaces(files.AllowWrite))
	if link != "" {
		err = errLinked
	}
	return end, err
}

// paths are the files' absolute paths, as given and as opened, which the server may not write.
func (e envFiles) paths() (all []string) {
	for _, f := range e {
		if all = append(all, f.path); f.opened != "" && f.opened != f.path {
			all = append(all, f.opened)
		}
	}
	return all
}

// follow follows the links of a path by hand. link is the first that lies in one of the folders.
func follow(path string, folders []string) (end, link string) {
	const most = 40 // links, as in the kernel
	end, rest, links := "/", path, 0
	for rest != "" {
		var name string
		name, rest, _ = strings.Cut(strings.TrimLeft(rest, "/"), "/")
		at := filepath.Join(end, name)
		target, err := os.Readlink(at)
		if err != nil {
			end = at
			continue
		}
		if links++; links > most || inside(at, folders) {
			return at, at
		}
		if strings.HasPrefix(target, "/") {
			end = "/"
		}
		rest = target + "/" + rest
	}
	return end, ""
}

// grantPlaces are folders by their names and by where these lead.
func grantPlaces(folders []string) (all []string) {
	for _, folder := range folders {
		folder = strings.TrimPrefix(folder, "-")
		all = append(all, folder)
		if end, err := filepath.EvalSymlinks(folder); err == nil && end != folder {
			all = append(all, end)
		}
	}
	return all
}

// inside reports whether a path is one of the folders or lies below one.
func inside(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		return policy.Within(path, folder)
	})
}
