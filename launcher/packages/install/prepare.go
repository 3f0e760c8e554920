package install

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Options are how a package may be installed. The zero value is the careful way.
type Options struct {
	// Scripts lets install scripts run, in the sandbox, after everything was unpacked.
	Scripts bool
	Limits
	// RegistryFromProject takes the registries from the configuration of the project in Dir.
	RegistryFromProject bool
	// RegistryAuth lets the install log in at the registries as the user's own configuration does.
	RegistryAuth bool
	// Level [policy.LevelNetwork] gives the install the host's network, and takes confinement reduced for enough; so
	// does [policy.Privileged]. Every other level is [policy.Standard] here.
	Level policy.Level
	// Update installs anew, whatever the store has.
	Update bool
	// NoProgram is for a package of which nothing is started now: there is no Command then.
	NoProgram bool
	// Env is the environment of the launch, as NAME=VALUE; nil is that of this process. It may be a stranger's: PATH,
	// proxies and authorities are taken, and an install by these is found by starts with the same ones alone.
	Env []string
	// Dir is the user's working folder; "" is that of this process.
	Dir string
	// Terminal gets a line that is written over and over while an install goes on; nil is for no such line. The line is
	// shorter than a row of the terminal: that has 80 columns, or as many as its method Columns() int says.
	Terminal io.Writer
	// Told gets lines that cannot wait for the end, without a newline. It may be nil.
	Told func(string)

	tests
}

// Limits bound the packages that may be installed.
type Limits struct {
	// MinAge is for how long each package, dependencies as well, has to be published.
	MinAge time.Duration
	// Size is how many bytes the install may have on the disk at any time, caches included; 0 is for 2 GiB. There may
	// be a file or folder for each 5 KiB of it.
	Size policy.Quantity
}

// Ready is a package that can be started.
type Ready struct {
	// Package is the package of the program in the store.
	Package *store.Package
	// Owner is the package that has the program, where several were asked for; else Package.Name.
	Owner string
	// Command is the program with the arguments of the line.
	Command []string
	// PathDir goes in front of PATH; "" is for none.
	PathDir string
	// Env are variables that the program needs, as NAME=VALUE.
	Env []string
	// Installed is whether the package was fetched now.
	Installed bool
	// Lines are for people, without a newline: of an install its outcome, and else none.
	Lines []string

	spec   string // the package that was asked for
	beside string // the folder of the program that was typed with its path, or ""
}

// ErrNoManager is the error of a line with a package manager that has no row.
var ErrNoManager = errors.New("its packages cannot be installed apart")

// Find is Prepare for a package that is in the store. [store.ErrNone] is one that is not there.
func Find(in *store.Store, start *startline.Start, o Options) (*Ready, error) {
	i := newInstallation(in, start, o)
	r, err := i.find()
	if r == nil && err == nil {
		err = store.ErrNone
	}
	return r, err
}

// Prepare finds a package in the store or installs it. When ctx ends nothing of an install runs 3 s later, and nothing
// is left of it.
func Prepare(ctx context.Context, in *store.Store, start *startline.Start, o Options) (*Ready, error) {
	i := newInstallation(in, start, o)
	if r, err := i.find(); r != nil || err != nil {
		return r, err
	}
	r, err := i.install(ctx)
	if err != nil && ctx.Err() != nil { // whatever the end of the context looked like
		err = context.Cause(ctx)
	}
	if err != nil {
		i.tellLines()
		return nil, fmt.Errorf("install %s: %w", i.title(), err)
	}
	return r, nil
}

// find looks into the store. Nil and no error is a package that has to be installed: also one that is there, where an
// older one or its install scripts are wanted, or install has words for a refusal.
func (i *installation) find() (*Ready, error) {
	w, q, err := i.wanted()
	if i.Update || err != nil {
		return nil, err
	}
	p, err := i.store.Find(w, i.MinAge)
	if _, young := errors.AsType[*store.TooYoung](err); young || errors.Is(err, store.ErrNone) {
		return nil, nil
	}
	if err == nil && (i.Scripts && len(p.Scripts) > 0 ||
		i.row.Limited != nil && i.row.Limited(q, i.start, p.Registry)) {
		return nil, nil
	}
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return nil, err
	}
	return i.ready(p)
}

// ready says how a package of the store is started.
func (i *installation) ready(p *store.Package) (*Ready, error) {
	if i.NoProgram {
		return &Ready{Package: p, Owner: p.Name, spec: i.title()}, nil
	}
	e, err := i.row.Entry(p.Path, i.start)
	if err != nil {
		return nil, err
	}
	return &Ready{Package: p, Owner: e.Owner, Command: append(slices.Clip(e.Command), i.start.Args...), PathDir: e.Path,
		Env: e.Env, spec: i.title(), beside: beside(i.start)}, nil
}

// private begins the name of Job.Private in the stage. The rest is new for each install: an archive that is unpacked
// beside that folder cannot name a file in it.
const private = ".mcp-sandbox-install-"

// install makes a stage, lets the manager fill it, and puts it into the store if everything is as it should be.
func (i *installation) install(ctx context.Context) (*Ready, error) {
	began := time.Now()
	w, _, err := i.wanted()
	if err != nil {
		return nil, err
	}
	stage, err := i.store.Begin(ctx, w, i.Told)
	if err != nil {
		return nil, err
	}
	defer stage.Abort()
	if stage.Waited {
		if r, err := i.find(); r != nil || err != nil {
			return r, err
		}
	}
	now, q, err := i.wanted() // the lock may have taken long
	if err == nil && now.Source != w.Source {
		err = errors.New("the configuration changed meanwhile: start it again")
	}
	if err != nil {
		return nil, err
	}
	if line := i.from.notAsked(); line != "" {
		i.lines = append(i.lines, line)
	}
	found, err := i.from.settings(ctx, q, stage.Folder)
	if err != nil {
		return nil, err
	}
	c := i.cell(q)
	j := &job.Job{Program: q.Program, Start: i.start, Settings: found, Stage: stage.Folder, Scripts: i.Scripts,
		Owner: -1, Private: filepath.Join(stage.Folder, private+rand.Text()), Cell: c}
	if i.MinAge > 0 {
		j.Before = began.Add(-i.MinAge)
	}
	has, err := i.fill(ctx, stage, j)
	if err != nil {
		return nil, err
	}
	p, err := stage.Commit(i.packageOf(has))
	if err != nil {
		return nil, err
	}
	r, err := i.ready(p)
	if err == nil {
		r.Installed, r.Lines = true, slices.Concat(i.lines, c.Lines, i.told(p, began))
	}
	return r, err
}

// cell is the sandbox of the install.
func (i *installation) cell(q *job.Question) *job.Cell {
	return &job.Cell{Row: i.row, Title: i.title(), Level: i.Level, Env: i.from.ownEnv(q.User), Size: i.Size,
		Terminal: i.Terminal, Stall: i.stall, Home: i.home}
}

// fill lets the manager write into the stage, and leaves there nothing but the package.
func (i *installation) fill(ctx context.Context, stage *store.Stage, j *job.Job) (*job.Contents, error) {
	if err := os.Mkdir(j.Private, 0o755); err != nil {
		return nil, err
	}
	// A root that has not this id runs its sandboxes as itself.
	if os.Geteuid() == 0 && os.Lchown(j.Private, job.ServerID, job.ServerID) == nil {
		j.Owner = job.ServerID
		if err := stage.Give(job.ServerID, job.ServerID); err != nil {
			return nil, err
		}
	}
	c, err := i.row.Install(ctx, j)
	if err == nil {
		stage.Outside = c.Outside
	}
	if err == nil && !i.NoProgram {
		_, err = i.row.Entry(j.Stage, i.start)
	}
	if err == nil {
		err = stage.Drop(filepath.Base(j.Private))
	}
	return c, err
}

// packageOf returns the store's record of an install.
func (i *installation) packageOf(c *job.Contents) store.Package {
	ecosystem := ""
	for _, s := range i.start.Specs {
		if s.Name == c.Name {
			ecosystem = s.Ecosystem
		}
	}
	return store.Package{
		Identity: store.Identity{Ecosystem: ecosystem, Name: c.Name, Version: c.Version, Integrity: c.Integrity,
			Registry: c.Registry},
		Contents: store.Contents{Lock: c.Lock, Packages: c.Packages, Scripts: c.Scripts, ScriptsRan: i.Scripts,
			MinAge: i.MinAge},
	}
}
