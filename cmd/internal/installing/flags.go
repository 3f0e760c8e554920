// Package installing finds and installs the packages that commands start, and says to people how that goes.
package installing

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// An Installer finds and installs packages as a command line says.
type Installer struct {
	Options install.Options
	flags   *cli.Flags
}

// New returns the installer of a command line.
func New(f *cli.Flags) *Installer { return &Installer{flags: f} }

// AddFlags defines the flags of an install.
func (i *Installer) AddFlags() {
	f, o := i.flags, &i.Options
	f.Value("min-age", "TIME", "install only what has been published for so long, as 7d", setAge(&o.MinAge))
	f.Switch("scripts", "let install scripts run, in the sandbox of the install", &o.Scripts)
	f.Value("install-size", "SIZE", "what an install may have on the disk meanwhile (default 2G)",
		func(s string) error {
			err := o.Size.UnmarshalText([]byte(s))
			if err == nil && o.Size < leastSize {
				err = errors.New(strconv.Quote(s) + " is no size of an install: write 16M or more, as 4G")
			}
			return err
		})
	f.Switch("registry-auth", "log in at the registries as the package manager is configured to", &o.RegistryAuth)
	f.Switch("registry-from-project", "take the registries from the configuration in this folder",
		&o.RegistryFromProject)
}

// leastSize is the least that --install-size may say; "unlimited" is less.
const leastSize policy.Quantity = 16 << 20

// Given are the flags of an install that stand in the command line.
func (i *Installer) Given() (names []string) {
	for _, name := range [...]string{"min-age", "scripts", "registry-auth", "registry-from-project", "install-size"} {
		if i.flags.Given(name) {
			names = append(names, name)
		}
	}
	return names
}

// Missing says what to do before a question about a package can be answered.
func (i *Installer) Missing(start *startline.Start) string {
	line := "mcp-sandbox install"
	o := &i.Options
	if o.MinAge > 0 {
		line += " --min-age " + o.MinAge.String()
	}
	if o.Size > 0 {
		line += " --install-size " + o.Size.String()
	}
	for _, s := range [...]struct {
		on   bool
		flag string
	}{{o.Scripts, " --scripts"}, {o.RegistryAuth, " --registry-auth"},
		{o.RegistryFromProject, " --registry-from-project"}} {
		if s.on {
			line += s.flag
		}
	}
	for _, s := range start.Specs {
		line += " " + text.Shell(s.String())
	}
	return start.Tool + ": the package is not installed yet: first " + line
}

// OpenStore opens the store for a command.
func OpenStore(f *cli.Flags) (*store.Store, error) {
	f.Stderr.Kept(cli.PackagesVariable)
	return store.Open(os.Getenv)
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
