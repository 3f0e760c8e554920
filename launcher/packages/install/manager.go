package install

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// A manager is what this package knows of one package manager: a row of the table [managers], in a file of its own. The
// functions of a row print nothing, and start no program but by [question.run] and [job.run], in a sandbox both.
type manager struct {
	// name is the Manager of a [startline.Start], and the manager's folder in the store.
	name string
	// programs are the names of the program that installs, the best first. They are looked for beside the program
	// that the user typed, where that was a path, and then in PATH.
	programs []string
	// usual are the hosts that the manager has built in, between spaces; the first is that of the registry.
	usual string
	configuration
	// settings asks the manager itself which registries the user has configured, by question.run. Needed are all URLs
	// that an install may have to reach, and the certificates that the configuration names. What logs in stands in
	// settings.logins if question.auth asks for it, else settings.login alone says that there is some. A URL has to go
	// through newRegistry, which takes the user's name out.
	settings func(context.Context, *question) (*settings, error)
	// project is the file in which the project of a working folder names registries, and those, by the options' names;
	// "" is for no such file. It may be nil.
	project func(dir, home string) (file string, registries map[string]string)
	// install writes what the manager has to find in job.stage, runs the manager by job.run, and reads the lock file.
	// Caches, logs, configuration: all that is no part of the package belongs below job.private, which is removed
	// before the package is kept. Where this process is root the manager runs as another user: what the manager may
	// change is written by job.write.
	//
	// The first launch runs no program of a package. What the contents are is read right after that. Only then, and
	// only with job.scripts, a further launch may run install scripts, without a log-in. Refused, with the name of the
	// package: an archive without a strong hash; one that came neither from a registry of the settings nor inside of
	// another archive; one that is younger than job.before, dependencies as well.
	install func(context.Context, *job) (*contents, error)
	// entry is how the package in a folder is started, without network and without the manager. An error names what the
	// package has instead, or that its program does not lie in the folder. The folder may also be one that was
	// installed long ago, and may be moved between install and entry.
	entry func(folder string, s *startline.Start) (*entry, error)
	// asks and answers are the lines by which the manager says what it asks for and what it got: a package's name or a
	// URL. An answer without a name is to all that was asked before.
	asks, answers func() *regexp.Regexp
	// builds is the line by which the manager says that it has fetched everything and starts compilers, which can be
	// silent for long. Nil is for a manager that compiles nothing.
	builds func() *regexp.Regexp
}

// A configuration is how a user says where a manager's packages come from.
type configuration struct {
	// files are those of the user's configuration that the manager reads. What lies beside the manager's own program,
	// and is as much its word, need not be named. It starts nothing, for each start asks.
	files func(*question) []string
	// decides reports whether a variable says where packages come from, or which of them are taken. None does here: of
	// one whose value is not what settings.said has anyway the install is refused.
	decides func(name string, s *startline.Start) bool
	// write is the command that writes a registry into the user's configuration.
	write string
	// logins is the file that log-ins are written into.
	logins string
}

// managers is the table. Of a manager that is not here nothing is installed: its lines run as they are.
var managers = [...]*manager{&npm, &pypi, &golang}

func managerOf(name string) *manager {
	for _, m := range managers {
		if m.name == name {
			return m
		}
	}
	return nil
}

// A job is one install under way, for the functions of a row.
type job struct {
	program  string           // the path of the manager's program
	start    *startline.Start // what to install, and for which command
	settings *settings
	stage    string    // the folder that becomes the package
	private  string    // a folder in the stage, which does not
	before   time.Time // nothing that was published later may be installed; zero: any age will do
	scripts  bool      // install scripts are wanted

	owner int // who runs the manager; -1: the user of this process
	cell  *cell
}

// write puts a file into the stage, by its absolute path, in place of whatever a program has left there. The manager
// may change the file.
func (j *job) write(name string, text []byte) error {
	name, err := filepath.Rel(j.stage, name)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(j.stage)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.RemoveAll(name); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil && j.owner >= 0 {
		err = f.Chown(j.owner, j.owner)
	}
	return errors.Join(err, f.Close())
}

// remove removes a file or folder of the stage, by its absolute path, whatever a program has left there.
func (j *job) remove(name string) error {
	name, err := filepath.Rel(j.stage, name)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(j.stage)
	if err != nil {
		return err
	}
	return errors.Join(root.RemoveAll(name), root.Close())
}

// run runs a program in the sandbox: in the stage, which is all that can be written. The error is for people.
func (j *job) run(ctx context.Context, s step) error { return j.cell.launch(ctx, j, s) }

// A step is one launch in the sandbox.
type step struct {
	args  []string          // of the manager's program
	env   map[string]string // in addition to what every server gets
	local bool              // no registry is reached
	slow  bool              // programs of packages run, which may be silent for long
	alone bool              // the program starts no other one: the kernel refuses a second process
}

// contents are what was installed, by the lock file.
type contents struct {
	name, version, integrity string   // of the package that was asked for, or that owns the command
	registry                 string   // the URL of where that came from
	lock                     string   // the lock file's path below job.stage
	packages                 int      // with dependencies
	scripts                  []string // packages that have install scripts, which were not run
	outside                  []string // files out of the stage that links of the package may name
}

// An entry is how a package is started.
type entry struct {
	owner   string   // the package that has the program
	command []string // without the arguments of the start line
	path    string   // a folder that goes in front of PATH; "" is none
	env     []string // variables that the program needs, as NAME=VALUE
}
