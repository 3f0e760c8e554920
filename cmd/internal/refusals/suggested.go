package refusals

import (
	"path"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// suggested is the flag of a refusal, if a launch suggests such a flag for that act. A stranger's report would have
// people open another host or folder than the one that was refused.
func suggested(d *order.DeniedCount) string {
	flag, value, _ := strings.Cut(d.Flag, " ")
	fits := false
	switch d.Kind {
	case order.DeniedName, order.DeniedPort:
		fits = flag == "--allow-domain" && opensHost(value, &d.Act)
	case order.DeniedPrivate:
		fits = d.Flag == "--allow-private"
	case order.DeniedSyscall:
		fits = d.Flag == "--subprocess"
	case order.DeniedLimit:
		fits = d.Flag == "--pids"
	case order.DeniedOpen, order.DeniedExec:
		fits = (flag == "--allow-read" || flag == "--allow-write") && holdsPath(value, d.Path)
	case order.DeniedUnix:
		fits = flag == "--allow-unix-socket" && holdsPath(value, d.Path)
	}
	if !fits {
		return ""
	}
	return d.Flag
}

// opensHost reports whether an entry opens the host of an act, and of an act with a port no other port.
func opensHost(entry string, a *order.Act) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]"
	d, err := policy.ParseDomain(entry)
	return err == nil && strings.Trim(entry, letters) == "" && !d.Below && strings.EqualFold(d.Host, a.Host) &&
		(a.Port == 0 || d.Port == 0 || d.Port == a.Port)
}

// holdsPath reports whether a text is one word of a shell that stands for a path, or for a folder above.
func holdsPath(word, at string) bool {
	folder := word
	if bare := strings.TrimSuffix(strings.TrimPrefix(word, "'"), "'"); len(bare) == len(word)-2 {
		folder = strings.ReplaceAll(bare, `'\''`, "'")
	}
	below, home := strings.CutPrefix(folder, "~/")
	switch {
	case notice.Shell(strings.TrimPrefix(folder, "~/")) != strings.TrimPrefix(word, "~/"), path.Clean(folder) != folder:
		return false
	case home: // whose home is not known here
		return below != ".." && !strings.HasPrefix(below, "../") && strings.Contains(at+"/", "/"+below+"/")
	}
	return folder != "/" && strings.HasPrefix(at+"/", folder+"/") && path.IsAbs(folder)
}
