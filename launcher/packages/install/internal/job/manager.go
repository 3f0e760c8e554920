// Package job has what the package managers of install share: an install in its sandbox, the question for registries,
// and the meaning of a manager's words.
package job

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// A Manager is a row of install's table of package managers, in a folder of its own. The functions of a row print
// nothing, and start no program but by [Question.Run] and [Job.Run], in a sandbox both.
type Manager struct {
	// Name is the Manager of a [startline.Start], and the manager's folder in the store.
	Name string
	// Programs are the names of the program that installs, the best first. They are looked for beside the program
	// that the user typed, where that was a path, and then in PATH.
	Programs []string
	// Usual are the hosts that the manager has built in, between spaces; the first is that of the registry.
	Usual string
	// Files are those of the user's configuration that the manager reads. Files beside the manager's own program, which
	// are as much its word, need not be named. The function starts nothing, for each start asks.
	Files func(*Question) []string
	// Decides reports whether a variable says where packages come from, or which of them are taken. None does here:
	// where its value is not in the configuration anyway ([Settings.Has]) the install is refused.
	Decides func(name string, s *startline.Start) bool
	// Limited reports whether Install refuses a line, though another tool's line may have put the package into the
	// store, from that registry. It may be nil.
	Limited func(q *Question, s *startline.Start, registry string) bool
	// Write is the command that writes a registry into the user's configuration.
	Write string
	// Logins is the file that log-ins are written into.
	Logins string
	// Settings asks the manager itself which registries the user has configured, by Question.Run. Needed are all URLs
	// that an install may have to reach, and the certificates that the configuration names. Log-ins are in
	// Settings.Logins if Question.Auth asks for them, else Settings.Login alone says that there are some. A URL has to
	// go through NewRegistry, which takes the user's name out.
	Settings func(context.Context, *Question) (*Settings, error)
	// Project is the file in which the project of a working folder names registries, and those, by the options' names;
	// "" is for no such file. It may be nil.
	Project func(dir, home string) (file string, registries map[string]string)
	// Install writes the files that the manager has to find in Job.Stage, runs the manager by Job.Run, and reads the
	// lock file. Caches, logs, configuration: all that is no part of the package belongs below Job.Private, which is
	// removed before the package is kept. Where this process is root the manager runs as another user: files that it
	// may change are written by Job.Write.
	//
	// The first launch runs no program of a package. The contents are read right after that. Only then, and only with
	// Job.Scripts, a further launch may run install scripts, without a log-in. Refused, with the name of the package:
	// an archive without a strong hash; one that came neither from a registry of the settings nor inside of another
	// archive; one that is younger than Job.Before, dependencies as well.
	Install func(context.Context, *Job) (*Contents, error)
	// Entry is how the package in a folder is started, without network and without the manager. An error names the
	// programs that the package has instead, or that its program does not lie in the folder. The folder may also be one
	// that was installed long ago, and may be moved between install and entry.
	Entry func(folder string, s *startline.Start) (*Entry, error)
}

// A Job is one install under way, for the functions of a row.
type Job struct {
	Program  string           // the path of the manager's program
	Start    *startline.Start // the packages to install, and the command
	Settings *Settings
	Stage    string    // the folder that becomes the package
	Private  string    // a folder in the stage, which does not
	Before   time.Time // nothing that was published later may be installed; zero: any age will do
	Scripts  bool      // install scripts are wanted

	Owner int // the user that runs the manager; -1: the user of this process
	Cell  *Cell
}

// Write puts a file into the stage, by its absolute path, in place of whatever a program has left there. The manager
// may change the file.
func (j *Job) Write(name string, text []byte) error {
	name, err := filepath.Rel(j.Stage, name)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(j.Stage)
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
	if err == nil && j.Owner >= 0 {
		err = f.Chown(j.Owner, j.Owner)
	}
	return errors.Join(err, f.Close())
}

// Remove removes a file or folder of the stage, by its absolute path, whatever a program has left there.
func (j *Job) Remove(name string) error {
	name, err := filepath.Rel(j.Stage, name)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(j.Stage)
	if err != nil {
		return err
	}
	return errors.Join(root.RemoveAll(name), root.Close())
}

// Folder makes a folder in the stage that the manager may change, and those above it. Its name may come from a
// manager's answer: nothing is made or given away outside of the stage.
func (j *Job) Folder(name string) error {
	root, err := os.OpenRoot(j.Stage)
	if err != nil {
		return err
	}
	defer root.Close()
	at := "."
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		at = filepath.Join(at, part)
		if err := root.Mkdir(at, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		if j.Owner >= 0 {
			if err := root.Lchown(at, j.Owner, j.Owner); err != nil {
				return err
			}
		}
	}
	return nil
}

// Run runs a program in the sandbox: in the stage, which is all that can be written. The error is for people.
func (j *Job) Run(ctx context.Context, s Step) error { return j.Cell.launch(ctx, j, s) }

// A Step is one launch in the sandbox.
type Step struct {
	Args  []string          // of the manager's program
	Env   map[string]string // in addition to every server's
	Local bool              // no registry is reached
	Slow  bool              // programs of packages run, which may be silent for long
	Alone bool              // the program starts no other one: the kernel refuses a second process
}

// Contents are the installed packages, by the lock file.
type Contents struct {
	Name, Version, Integrity string   // of the package that was asked for, or that owns the command
	Registry                 string   // the URL of where that came from
	Lock                     string   // the lock file's path below Job.Stage
	Packages                 int      // with dependencies
	Scripts                  []string // packages that have install scripts, which were not run
	Outside                  []string // files out of the stage that links of the package may name
}

// An Entry is how a package is started.
type Entry struct {
	Owner   string   // the package that has the program
	Command []string // without the arguments of the start line
	Path    string   // a folder that goes in front of PATH; "" is none
	Env     []string // variables that the program needs, as NAME=VALUE
}

// ServerID is the user that a sandbox of root's runs as; policy.md has that number.
const ServerID = 65533
