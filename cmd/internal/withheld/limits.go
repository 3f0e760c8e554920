package withheld

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/runtimes"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// shortages are the notices of limits with which no version of the server's runtime starts: of those that a person
// named, and of level strict's memory where no control group holds that.
func shortages(o *order.Order, p *policy.Policy) (all []order.Notice) {
	if len(o.Named) == 0 && p.Level != policy.Strict {
		return nil
	}
	file := find(o.Command[0], o.Dir, order.Lookup(o.Env, "PATH"))
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		real = file
	}
	r := runtimes.Of(read(real), filepath.ToSlash(o.Command[0]), filepath.ToSlash(real)).OfVersion(major(real))
	add := func(kind order.NoticeKind, grouped bool) {
		for _, s := range r.Below(&p.Limits, grouped) {
			written := o.NameOf(s.Key)
			said := slices.ContainsFunc(all, func(n order.Notice) bool { return n.Name == s.Key })
			switch {
			case !s.Certain || said:
			case written != "":
				all = append(all, order.Notice{Kind: kind, Name: s.Key, Flag: written + " " + s.Advice,
					Line: s.Line(written)})
			case s.Key == "limits.memory" && !grouped:
				all = append(all, order.Notice{Kind: kind, Name: s.Key, Flag: "--memory " + s.Advice,
					Line: s.DefaultLine(string(p.Level))})
			}
		}
	}
	add(order.NoticeLimit, true)
	add(order.NoticeData, false)
	return all
}

// major is the major version of a runtime by its file; 0 where nothing tells.
func major(file string) int {
	return runtimes.Major(read(filepath.Join(filepath.Dir(filepath.Dir(file)), "include", "node", "node_version.h")))
}

// find is the file of a command, or the command itself.
func find(command, dir, paths string) string {
	switch {
	case filepath.IsAbs(command):
		return command
	case strings.ContainsRune(command, os.PathSeparator):
		return filepath.Join(dir, command)
	}
	for _, folder := range filepath.SplitList(paths) {
		if at := filepath.Join(folder, command); filepath.IsAbs(folder) && isFile(at) {
			return at
		}
	}
	return command
}

func isFile(at string) bool {
	info, err := os.Stat(at)
	return err == nil && info.Mode().IsRegular()
}

// read is how a file begins; nothing of what is no regular file.
func read(file string) []byte {
	if !isFile(file) {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	b := make([]byte, runtimes.Head)
	n, _ := f.Read(b)
	return b[:n]
}
