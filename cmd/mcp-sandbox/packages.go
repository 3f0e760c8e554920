package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/withheld"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/runtimes"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/profile"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// packages are what a command line says of the package that it starts, and what is known of that package.
type packages struct {
	asked   string          // --profile: an id, "none", or "" for the profile of the package
	options install.Options // those that have flags
	start   *startline.Start
	profile *profile.Profile
	notices []order.Notice   // what the profile did not grant
	added   map[string]int   // how many paths of a key the profile gave
	keep    *policy.Quantity // of store prune; nil for none
}

const noProfile = "none" // the value of --profile

// addProfile defines the flag of the profile.
func addProfile(o *options) {
	o.add("profile", "ID|none", "add what this package needs (default: the package that COMMAND starts)", "",
		launchflags.Once(&o.asked))
}

// addInstall defines the flags of an install.
func addInstall(o *options) {
	p := &o.options
	o.add("min-age", "TIME", "install only what has been published for so long, as 7d", "", setAge(&p.MinAge))
	o.add("scripts", "", "let install scripts run, in the sandbox of the install", "true", truth(&p.Scripts))
	o.add("install-size", "SIZE", "what an install may have on the disk meanwhile (default 2G)", "",
		func(s string) error {
			err := p.Size.UnmarshalText([]byte(s))
			if err == nil && p.Size < leastInstall {
				err = errors.New(strconv.Quote(s) + " is no size of an install: write 16M or more, as 4G")
			}
			return err
		})
	o.add("registry-auth", "", "log in at the registries as the package manager is configured to", "true",
		truth(&p.RegistryAuth))
	o.add("registry-from-project", "", "take the registries from the configuration in this folder", "true",
		truth(&p.RegistryFromProject))
}

// leastInstall is the least that --install-size may say; "unlimited" is less.
const leastInstall policy.Quantity = 16 << 20

// installFlags are the flags that addInstall defines.
func installFlags() [5]string {
	return [...]string{"min-age", "scripts", "registry-auth", "registry-from-project", "install-size"}
}

// setAge takes a number of days, as 7d, or a duration.
func setAge(at *time.Duration) func(string) error {
	const day = 24 * time.Hour
	return func(s string) error {
		age, err := time.ParseDuration(s)
		if days, ok := strings.CutSuffix(s, "d"); ok {
			var n int
			n, err = strconv.Atoi(days)
			age = time.Duration(n) * day
		}
		if err != nil || age <= 0 || age > 3650*day {
			return errors.New(strconv.Quote(s) + " is no age: write days, as 7d, or hours, as 12h")
		}
		*at = age
		return nil
	}
}

// readStart finds out which package a command starts, and which profile the launch has.
func readStart(o *options, command []string) error {
	var unknown error
	if runtime.GOOS == "linux" && policy.Level(o.Given("level")) != policy.Privileged {
		o.start, unknown = startline.Parse(command)
	}
	if unknown != nil {
		o.notes = append(o.notes, unknown.Error()+asItIs)
	}
	if o.start != nil {
		if err := install.Installer(o.start, o.options); err != nil {
			o.notes, o.start = append(o.notes, err.Error()+asItIs), nil
		}
	}
	noteProject(o)
	for _, name := range installFlags() {
		if f := o.set.Lookup(name); f != nil && f.Changed && o.start == nil {
			o.notes = append(o.notes, "--"+name+" has no effect: the command starts no package that can be installed")
		}
	}
	id := o.asked
	if id == "" && o.start != nil && len(o.start.Specs) == 1 {
		id = idOf(o.start.Specs[0])
	}
	if err := setProfile(o, id, command); err != nil {
		return err
	}
	if o.asked != "" && o.asked != noProfile && o.profile == nil {
		return errors.New("--profile " + text.Quote(o.asked) + ": " + noSuchProfile(o.asked))
	}
	return nil
}

// asItIs is the end of a line on a command that is not replaced by an installed program.
const asItIs = ": the command runs as it is, without a profile"

// noteProject tells of a package that a node_modules of the working folder, or of one above, has as well: npx and bunx
// themselves would start that, and whoever can write there would choose the program.
func noteProject(o *options) {
	if o.start == nil || !slices.Contains([]string{"npx", "npm exec", "bunx"}, o.start.Tool) {
		return
	}
	dir, err := launchflags.Folder()
	if err != nil {
		return
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for _, s := range o.start.Specs {
		if modules := withheld.InProject(dir, s.Name); modules != "" && s.Range == "" {
			o.notes = append(o.notes, modules+" has "+s.Name+" too, which is not started: name its file for that, "+
				"below "+filepath.Join(modules, ".bin"))
			return
		}
	}
}

// idOf is the id of the profile of a package.
func idOf(s startline.Spec) string { return s.Ecosystem + ":" + s.Name }

// setProfile lets the policy of the launch have a profile. Profiles are for launches without a policy document.
func setProfile(o *options, id string, command []string) error {
	o.profile, o.Extend, o.added = nil, nil, nil
	if id == "" || id == noProfile || o.asked == "" && o.Source.String() != "" {
		return nil
	}
	p, err := profile.ByName(id)
	if p == nil || err != nil {
		return err
	}
	if o.Given("level") != "" {
		p = p.WithoutNetwork()
	}
	o.profile = p
	args := serverArguments(command)
	if o.start != nil {
		args = o.start.Args
	}
	o.Extend = func(to policy.Policy, dir, home string) (policy.Policy, error) {
		if home == "" { // some clients start servers without HOME
			home = platform.UserHome("")
		}
		extended, notices, err := p.Apply(to, args, os.Environ(), home, dir)
		o.notices, o.added = notices, map[string]int{
			"filesystem.allowRead":  len(extended.Filesystem.AllowRead) - len(to.Filesystem.AllowRead),
			"filesystem.allowWrite": len(extended.Filesystem.AllowWrite) - len(to.Filesystem.AllowWrite),
		}
		return inFront(extended, &to), err
	}
	return nil
}

// serverArguments are those that a server gets whose command starts no package: without the script of an interpreter.
func serverArguments(command []string) []string {
	if len(command) == 0 {
		return nil
	}
	args := command[1:]
	if !runtimes.Interprets(base(command[0])) {
		return args
	}
	i := slices.IndexFunc(args, func(word string) bool { return !strings.HasPrefix(word, "-") })
	return args[i+1:]
}

func base(word string) string { return word[strings.LastIndexByte(word, '/')+1:] }

// inFront moves the paths that a profile added in front of those of the flags, which are looked up from the end.
func inFront(extended policy.Policy, given *policy.Policy) policy.Policy {
	move := func(list *[]string, n int) { *list = slices.Concat((*list)[n:], (*list)[:n]) }
	move(&extended.Filesystem.AllowRead, len(given.Filesystem.AllowRead))
	move(&extended.Filesystem.AllowWrite, len(given.Filesystem.AllowWrite))
	return extended
}

// startPackage makes an order that of the program of a package.
func startPackage(ord *order.Order, r *install.Ready) {
	ord.Command, ord.Package = r.Command, r.ID()
	for _, entry := range r.Env {
		ord.Env = setVariable(ord.Env, entry)
	}
	if r.PathDir != "" {
		ord.Env = setVariable(ord.Env, "PATH="+r.Path(order.Lookup(ord.Env, "PATH")))
	}
}

// setVariable is an environment in which NAME=VALUE holds.
func setVariable(env []string, entry string) []string {
	name, _, _ := strings.Cut(entry, "=")
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, name+"=") })
	return append(env, entry)
}
