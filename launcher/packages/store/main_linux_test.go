package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// roles are what the test binary does as another process.
var roles = map[string]func() error{
	"install for ever": installForEver,
	"install once":     installOnce,
	"fill a disk":      fillDisk,
	"odd umask":        oddUmask,
	"same ctime":       sameTime,
	"in an image":      inAnImage,
}

const roleVariable = "STORE_TEST_ROLE"

func TestMain(m *testing.M) {
	platform.EnvironmentIsUsers()
	if role := os.Getenv(roleVariable); role != "" {
		if err := roles[role](); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// as is a process of a role, with a home.
func as(t testing.TB, role, home string, more ...string) *exec.Cmd {
	c := exec.CommandContext(t.Context(), "/proc/self/exe")
	c.Env = append([]string{roleVariable + "=" + role, "HOME=" + home, "PATH=" + os.Getenv("PATH")}, more...)
	c.Stderr = os.Stderr
	return c
}

// write is a fake install without a test.
func write(folder, lock string, files int) error {
	if err := os.Mkdir(folder+"/node_modules", 0o755); err != nil {
		return err
	}
	errs := []error{os.WriteFile(folder+"/package-lock.json", []byte(lock), 0o644),
		os.MkdirAll(folder+"/node_modules/a/b/c", 0o755), os.WriteFile(folder+"/node_modules/a/b/c/file", nil, 0o644)}
	for i := range files {
		errs = append(errs, os.WriteFile(folder+"/node_modules/"+strconv.Itoa(i), []byte(lock+strconv.Itoa(i)), 0o644))
	}
	return errors.Join(errs...)
}

func serverSpecs() []startline.Spec { return []startline.Spec{{Ecosystem: "npm", Name: "@x/server"}} }

func installOnce() error {
	s, err := Open(os.Getenv)
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	g, err := s.Begin(ctx, Wanted{Manager: "npm", Specs: serverSpecs()}, func(line string) { fmt.Println(line) })
	if err != nil {
		return err
	}
	defer g.Abort()
	if p, err := s.Find(Wanted{Manager: "npm", Specs: serverSpecs()}, 0); err == nil {
		fmt.Println("found")
		return p.Check()
	}
	fmt.Println("installing")
	if os.Getenv("WAIT") != "" {
		os.Stdin.Read(make([]byte, 1))
	}
	if err = write(g.Folder, "lock", 10); err != nil {
		return err
	}
	_, err = g.Commit(installed("@x/server", "1.0.0"))
	return err
}

// installForEver installs one of three versions, of which each is changed now and then, and removes packages.
func installForEver() error {
	s, err := Open(os.Getenv)
	if err != nil {
		return err
	}
	fmt.Println("begun")
	for {
		version := strconv.Itoa(rand.IntN(3)) + ".0.0"
		g, err := s.Begin(context.Background(), Wanted{Manager: "npm", Specs: serverSpecs()}, nil)
		if err != nil {
			return err
		}
		if err = write(g.Folder, version, 20); err != nil {
			return err
		}
		p := installed("@x/server", version)
		p.ScriptsRan = rand.IntN(2) == 0 // another one takes the place of the first
		made, err := g.Commit(p)
		if err != nil {
			return err
		}
		if err = made.Check(); err != nil {
			return err
		}
		if rand.IntN(4) == 0 {
			if err = made.Remove(); err != nil {
				return err
			}
		}
	}
}

// Whatever is killed at whatever moment, the store is whole: every package in it is as it was installed, every spec leads
// to one or to none, and the next install removes what is left over.
func TestKilledInstalls(t *testing.T) {
	home := tempHome(t)
	times := 200
	if testing.Short() {
		times = 30
	}
	s := openIn(t, home)
	found, stages := 0, 0
	for i := range times {
		c := as(t, "install for ever", home)
		out, err := c.StdoutPipe()
		do(t, err, c.Start())
		out.Read(make([]byte, 6))
		switch {
		case i < 5:
			testbed.Await(t, "an installed package", func() bool {
				_, err := s.Find(Wanted{Manager: "npm", Specs: serverSpecs()}, 0)
				return err == nil
			})
		case i < 10:
			testbed.Await(t, "a stage", func() bool {
				left, _ := filepath.Glob(s.Path + "/.stages/*")
				return len(left) > 0
			})
		default:
			testbed.Moment(i, times, 120*time.Millisecond)
		}
		do(t, c.Process.Kill())
		c.Wait()
		left, _ := filepath.Glob(s.Path + "/.stages/*")
		stages += len(left)
		all, broken, err := s.List()
		if err != nil || len(broken) > 0 {
			t.Fatalf("%v, %v", broken, err)
		}
		for _, p := range all {
			d, err := p.Verify()
			if checked := p.Check(); err != nil || len(d) > 0 || checked != nil {
				t.Fatalf("%s: %v, %v, %v", p.Path, d, err, checked)
			}
		}
		p, err := s.Find(Wanted{Manager: "npm", Specs: serverSpecs()}, 0)
		if err == nil {
			found++
			err = p.Check()
		}
		if err != nil && !errors.Is(err, ErrNone) {
			t.Fatal(err)
		}
		g, err := s.Begin(t.Context(), Wanted{Manager: "npm", Specs: serverSpecs()}, nil)
		do(t, err, g.Abort())
		if left, _ := filepath.Glob(s.Path + "/.stages/*"); len(left) > 0 {
			t.Fatalf("left: %s", left)
		}
	}
	if found == 0 || stages == 0 {
		t.Errorf("of %d kills %d came after an install and %d left a stage: they come too early or too late", times, found, stages)
	}
	t.Logf("%d kills: a package was found after %d, and %d stages were left", times, found, stages)
}
