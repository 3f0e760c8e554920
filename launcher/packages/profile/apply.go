package profile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Apply adds the needs of the package to a policy. args are the server's arguments without the command, env the
// launcher's variables as NAME=VALUE, home and dir the user's home and the working folder of the launch.
//
// Settings that the policy has already stay: a limit, a variable, the name of the state. In level network, which has no
// list of hosts, no host is added; in strict, with read-only files, a folder to write is one to read; in privileged,
// where nothing is confined, variables alone are added.
//
// In an error the policy is the one that was given.
func (p *Profile) Apply(to policy.Policy, args, env []string, home, dir string) (Applied, error) {
	switch {
	case !filepath.IsAbs(home):
		return Applied{Policy: to}, errors.New("profile " + p.Package + ": HOME is not set to a whole path: " +
			"set it to your home folder")
	case !filepath.IsAbs(dir):
		return Applied{Policy: to}, errors.New("profile " + p.Package + ": the working folder is not a whole path")
	}
	a := &applying{profile: p, to: to, args: p.split(args), env: env, dir: dir}
	a.limits = newLimits(home, a.value)
	a.limits.useOf(p)
	a.byHand = newByHand(&to, &a.limits, dir)
	if to.Level != policy.Privileged {
		a.own()
		for i := range p.Arguments {
			a.argument(&p.Arguments[i])
		}
		for _, name := range p.HostsFrom {
			a.hosts(&Argument{Variable: name, Grant: Host}, aVariable+name, a.value(name))
		}
		a.grantFolders()
		if p.Moves {
			a.notices = append(a.notices, apart(&a.limits, a.to.Filesystem.AllowWrite, dir)...)
		}
	}
	a.variables() // last: a value of the profile's own is no argument
	return Applied{a.to, a.notices, a.leads}, nil
}

// Applied is a policy with the needs of a package.
type Applied struct {
	Policy policy.Policy
	// Notices name variables without a value, and paths and hosts that are not granted, with a flag if one helps.
	Notices []order.Notice
	// Leads are the paths that were granted for arguments, for the launch: it is refused where one leads elsewhere.
	Leads []order.Lead
}

// applying is one application of a profile.
type applying struct {
	profile *Profile
	to      policy.Policy
	args    words
	env     []string
	dir     string
	limits  limits
	folders []folder
	byHand  byHand
	notices []order.Notice
	leads   []order.Lead
}

// own adds the profile's own policy.
func (a *applying) own() {
	from, to := &a.profile.Policy, &a.to
	add(&to.Filesystem.AllowRead, from.Filesystem.AllowRead...)
	a.write(from.Filesystem.AllowWrite...)
	a.reach(from.Network.AllowedDomains...)
	raise(&to.Filesystem.TmpSize, from.Filesystem.TmpSize)
	raise(&to.Limits.Memory, from.Limits.Memory)
	raise(&to.Limits.Pids, from.Limits.Pids)
	raise(&to.Limits.OpenFiles, from.Limits.OpenFiles)
	if a.profile.State && to.State == "" {
		to.State = a.profile.StateName()
	}
}

// variables adds names to forward, and values for variables that the user has not set.
func (a *applying) variables() {
	add(&a.to.EnvVars, a.profile.Required...)
	add(&a.to.EnvVars, a.profile.Optional...)
	for _, v := range a.profile.Policy.Env {
		if _, set := a.lookup(v.Name); set { // the user's value stays, and has to reach the server
			add(&a.to.EnvVars, v.Name)
			continue
		}
		if rest, ok := strings.CutPrefix(v.Value, "~/"); ok {
			v.Value = filepath.Join(a.limits.home, rest)
		}
		a.to.Env = append(slices.Clip(a.to.Env), v)
	}
	if slices.ContainsFunc(a.profile.Unless, a.isSet) {
		return
	}
	for _, name := range a.to.Unset(a.env) {
		if _, set := a.lookup(name); !set && slices.Contains(a.profile.Required, name) {
			a.note(name, "--env "+name+"=…", notice.NotSet(name, a.profile.Package))
		}
	}
}

// isSet reports whether a variable or a flag has a value.
func (a *applying) isSet(name string) bool { return a.value(name) != "" || len(a.args.flags[name]) > 0 }

func (a *applying) value(name string) string {
	value, _ := a.lookup(name)
	return value
}

// lookup is a variable of the server's, which the policy's literal ones override.
func (a *applying) lookup(name string) (value string, ok bool) {
	for _, v := range slices.Backward(a.to.Env) {
		if v.Name == name {
			return v.Value, true
		}
	}
	return order.Variable(a.env, name)
}

// write adds paths that can be written, in level strict read.
func (a *applying) write(paths ...string) {
	if a.to.Level == policy.Strict {
		add(&a.to.Filesystem.AllowRead, paths...)
		return
	}
	add(&a.to.Filesystem.AllowWrite, paths...)
}

// reach adds hosts, in the levels that have a list of them.
func (a *applying) reach(entries ...string) {
	if a.to.Level == "" || a.to.Level == policy.Standard || a.to.Level == policy.Strict {
		add(&a.to.Network.AllowedDomains, entries...)
	}
}

// argument grants the paths or hosts that the values of one source name.
func (a *applying) argument(arg *Argument) {
	values, source := a.args.of(arg)
	if len(values) == 0 && arg.Variable != "" {
		source = aVariable + arg.Variable
		if v := a.value(arg.Variable); v != "" {
			values = arg.listed(v)
		}
	}
	if len(values) == 0 && arg.Default != "" {
		value, there := a.defaultOf(arg)
		if !there {
			return
		}
		if values = []string{value}; arg.Grant != Host {
			source = defaultSource(arg)
		}
	}
	for i, value := range values {
		switch {
		case arg.Grant != Host:
			a.folder(arg, source, value)
		case source == anArgument: // its value can be a password, and is in no message
			a.hosts(arg, source+" "+strconv.Itoa(arg.Position+i+1), value)
		default:
			a.hosts(arg, source, value)
		}
	}
}

// defaultSource is a message's word for the source of a path that was not given.
func defaultSource(arg *Argument) string {
	if arg.Default == "." {
		return "working folder"
	}
	return "default"
}

// defaultOf is the value of a source that is not given. A path with "-" in front, which is missing, is none.
func (a *applying) defaultOf(arg *Argument) (value string, there bool) {
	if slices.ContainsFunc(arg.Unless, a.isSet) {
		return "", false
	}
	if arg.Grant == Host {
		return arg.Default, true
	}
	value, optional := strings.CutPrefix(arg.Default, "-")
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		value = filepath.Join(a.limits.home, rest)
	}
	_, err := os.Lstat(value)
	return value, !optional || !errors.Is(err, fs.ErrNotExist)
}

// hosts grants the hosts of a value.
func (a *applying) hosts(arg *Argument, source, value string) {
	if value == "" {
		return
	}
	entries, err := hostsOf(value, arg.Scheme, a.value(arg.PortFrom))
	switch {
	case errors.Is(err, errNotNamed): // no flag allows such a one either
		a.note(source, "", notice.NotAllowed(source, err.Error(), ""))
		return
	case err != nil && a.byHand.hosts:
		return
	case err != nil:
		a.note(source, hostFlag, notice.NotAllowed(source, err.Error(), hostFlag))
		return
	}
	if usual, _ := hostsOf(arg.Default, arg.Scheme, ""); len(entries) == 1 && slices.Contains(usual, entries[0]) {
		entries = usual // the default by its name: a server takes the same hosts then
	}
	a.reach(entries...)
}

// hostFlag allows a host that a profile does not.
const hostFlag = "--allow-domain HOST:PORT"

// note leaves a notice.
func (a *applying) note(name, flag, line string) {
	a.notices = append(a.notices, order.Notice{Kind: order.NoticeProfile, Name: name, Flag: flag, Line: line})
}

// add appends to a list the words that it lacks. The list is never written to: a copy of the policy may share it.
func add(to *[]string, all ...string) {
	for _, s := range all {
		if !slices.Contains(*to, s) {
			*to = append(slices.Clip(*to), s)
		}
	}
}

// raise sets a limit that has no value.
func raise[T ~int64](to *T, value T) {
	if *to == 0 {
		*to = value
	}
}
