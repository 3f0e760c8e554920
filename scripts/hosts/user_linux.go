package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"
)

// patience is how long a host may take.
const patience = 2 * time.Minute

// A user is one who tries the hosts, with a home.
type user struct {
	*options
	uid         int
	home        string
	confinement string // the one that doctor names
}

// user wraps the servers of all hosts, tries the hosts, and unwraps. The result is what is wrong.
func (o *options) user(ctx context.Context, uid int) (problems []error) {
	u := &user{options: o, uid: uid, home: filepath.Join(o.inside, fmt.Sprint("home-", uid))}
	defer os.RemoveAll(u.home)
	chosen := slices.DeleteFunc(hosts(), func(h *host) bool { return h.from == "heavy" && !o.heavy })
	if err := u.settle(chosen); err != nil {
		return []error{err}
	}
	if _, err := u.product(ctx, "wrap", "--yes", "--level", "standard"); err != nil {
		return []error{err}
	}
	for _, h := range chosen {
		if err := u.try(ctx, h); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", h.name, err))
		}
	}
	wrapped := map[*host][]byte{}
	for _, h := range chosen {
		wrapped[h], _ = os.ReadFile(u.file(h))
	}
	if _, err := u.product(ctx, "unwrap", "--yes"); err != nil {
		return append(problems, err)
	}
	for _, h := range chosen {
		if err := u.unwrapped(h, bytes.Equal(wrapped[h], h.wrapped)); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", h.name, err))
		}
	}
	return problems
}

// settle makes the home and the files of the hosts, and asks doctor.
func (u *user) settle(all []*host) error {
	if err := os.Mkdir(u.home, 0o755); err != nil {
		return err
	}
	for _, h := range all {
		if err := os.MkdirAll(filepath.Dir(u.file(h)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(u.file(h), u.text(h), 0o640); err != nil {
			return err
		}
	}
	err := filepath.WalkDir(u.home, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chown(path, u.uid, u.uid))
	})
	if os.Getuid() != 0 {
		err = nil // the files are this user's
	}
	if err != nil {
		return err
	}
	said, err := u.product(context.Background(), "doctor", "--json")
	if err != nil {
		return err
	}
	var found struct{ Confinement string }
	err = json.Unmarshal(said, &found)
	u.confinement = found.Confinement
	return err
}

func (u *user) file(h *host) string { return filepath.Join(u.home, h.file) }

// text is the file of a host before anything is wrapped.
func (u *user) text(h *host) []byte {
	return []byte(strings.NewReplacer("SERVER", filepath.Join(u.inside, "server-go"), "NOWHERE",
		filepath.Join(u.inside, "nowhere"), "HOST", h.key).Replace(h.text))
}

// modules is the node_modules folder that has a host.
func (u *user) modules(h *host) string { return filepath.Join(u.inside, h.from, "node_modules") }

// command is one of this user's.
func (u *user) command(ctx context.Context, words []string, env ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = u.home
	cmd.Env = append(env, "HOME="+u.home, "PATH="+filepath.Join(u.inside, "node")+":/usr/bin:/bin")
	cmd.WaitDelay = 5 * time.Second
	if u.uid != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(u.uid), Gid: uint32(u.uid)}}
	}
	return cmd
}

// product runs mcp-sandbox.
func (u *user) product(ctx context.Context, args ...string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := u.command(ctx, append([]string{filepath.Join(u.inside, "mcp-sandbox")}, args...))
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("mcp-sandbox %s: %w\n%s%s", strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return out, err
}

// try has a host read its wrapped file.
func (u *user) try(ctx context.Context, h *host) (err error) {
	if h.wrapped, err = os.ReadFile(u.file(h)); err != nil {
		return err
	}
	if bytes.Equal(h.wrapped, u.text(h)) {
		return fmt.Errorf("wrap did not change %s", h.file)
	}
	if n, err := u.confined(h); err != nil || n > 0 {
		return errors.Join(fmt.Errorf("%d reports before the host was started", n), err)
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	connected, said, err := h.ask(ctx, u, h)
	if u.verbose || err != nil || !slices.Equal(connected, []string{answers}) {
		fmt.Printf("--- %s as uid %d\n%s\n", h.name, u.uid, said)
	}
	if err != nil {
		return err
	}
	if !slices.Equal(connected, []string{answers}) || !strings.Contains(said, isNot) {
		return fmt.Errorf("connected with %q, wanted %q alone", connected, answers)
	}
	n, err := u.confined(h)
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("the host was connected, and the server left no report")
	}
	fmt.Printf("ok   %s %s as uid %d: %s (%.1f s)\n", h.name, u.version(h), u.uid, u.confinement,
		time.Since(began).Seconds())
	return nil
}

// confined counts the reports of the host's server, each of which has to name the confinement that doctor named.
func (u *user) confined(h *host) (n int, err error) {
	files, err := filepath.Glob(filepath.Join(u.home, ".local/state/mcp-sandbox/reports", "*"))
	if err != nil {
		return 0, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return n, err
		}
		var report struct {
			Event, Confinement string
			Command            []string
		}
		first, _, _ := bytes.Cut(text, []byte("\n"))
		if json.Unmarshal(first, &report) != nil || !slices.Contains(report.Command, "--host="+h.key) {
			continue
		}
		if report.Event != "enforced" || report.Confinement != u.confinement {
			return n, fmt.Errorf("event %q, confinement %q; doctor said %q", report.Event, report.Confinement,
				u.confinement)
		}
		n++
	}
	return n, nil
}

// reported waits until there is a report of the host's server. Nothing waits for the report but this.
func (u *user) reported(ctx context.Context, h *host) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if n, err := u.confined(h); n > 0 || err != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// unwrapped compares a file with what was there before wrap.
func (u *user) unwrapped(h *host, untouched bool) error {
	now, err := os.ReadFile(u.file(h))
	if err != nil {
		return err
	}
	if untouched {
		if !bytes.Equal(now, u.text(h)) {
			return fmt.Errorf("%s is not what it was:\n%s", h.file, now)
		}
		return nil
	}
	fmt.Printf("     %s has written %s meanwhile: the servers are compared\n", h.name, h.file)
	var was, is map[string]any
	if err := errors.Join(json.Unmarshal(u.text(h), &was), json.Unmarshal(now, &is)); err != nil {
		return err
	}
	if was["mcpServers"] == nil || !reflect.DeepEqual(was["mcpServers"], is["mcpServers"]) {
		return fmt.Errorf("the servers of %s are not what they were:\n%s", h.file, now)
	}
	return nil
}
