package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// renamerArg makes this program a server that renames in folders without a pause.
const renamerArg = "-as-renamer"

func renames(dirs []string) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		for _, dir := range dirs {
			os.WriteFile(dir+"/a", nil, 0o666)
			for range 100 {
				os.Rename(dir+"/a", dir+"/b")
				os.Rename(dir+"/b", dir+"/a")
			}
		}
	}
}

// The ends of such a server.
const (
	byLimit = iota
	byTerm
	byHost // killed with SIGKILL
	ends
)

// flood prints what a server that renames beside covers costs the launcher, and how late a time limit, a signal and the
// host's death then are.
func (b *bench) flood() error {
	fmt.Print("\n| a server that renames without end | launcher's % of a processor ",
		"| time limit late by ms | SIGTERM late by ms | host's death late by ms |\n|---|---|---|---|---|\n")
	for _, covers := range []int{3, 100} {
		var share float64
		var late [ends]time.Duration
		for end := range late {
			used, after, err := b.flooded(covers, end)
			if err != nil {
				return err
			}
			if late[end] = after; end == byTerm {
				share = used
			}
		}
		fmt.Printf("| %d covers | %.1f | %d | %d | %d |\n", covers, 100*share,
			late[byLimit].Milliseconds(), late[byTerm].Milliseconds(), late[byHost].Milliseconds())
	}
	return nil
}

// stage makes the folders of such a server, with files that are denied, and returns the words of its launch.
func (b *bench) stage(top string, covers int, limits string) (words []string, err error) {
	words = []string{"--report-fd", "3", "--policy", top + "/policy.json", "--", b.path("host"), renamerArg}
	var deny []string
	for i := range covers {
		dir := filepath.Join(top, "d"+strconv.Itoa(i%3))
		if err = os.MkdirAll(dir, 0o777); err == nil {
			err = os.WriteFile(dir+"/secret"+strconv.Itoa(i), nil, 0o600)
		}
		if err != nil {
			return nil, err
		}
		if deny = append(deny, strconv.Quote(dir+"/secret"+strconv.Itoa(i))); i < 3 {
			words = append(words, dir)
		}
	}
	doc := fmt.Sprintf(`{"version":1,"minConfinement":"full","filesystem":{"allowWrite":[%q],"denyRead":[%s]}%s}`,
		top, strings.Join(deny, ","), limits)
	if err = os.WriteFile(top+"/policy.json", []byte(doc), 0o644); err != nil || b.cred == nil {
		return words, err
	}
	return words, filepath.WalkDir(top, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(b.cred.Uid), int(b.cred.Gid))
	})
}

// flooded launches such a server for two seconds, until its time limit, a signal or the end of its host, which is a
// shell. The server ends as soon as it gets SIGTERM, and the report when the launcher has ended.
func (b *bench) flooded(covers, end int) (share float64, late time.Duration, err error) {
	const lasts = 2 * time.Second
	top, err := os.MkdirTemp("/var/tmp", "mcp-sandbox-bench-flood-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(top)
	limits := ""
	if end == byLimit {
		limits = `,"limits":{"timeout":"` + lasts.String() + `"}`
	}
	words, err := b.stage(top, covers, limits)
	if err != nil {
		return 0, 0, err
	}
	c := b.init(words...)
	if end == byHost {
		c = b.command("/bin/sh", append([]string{"-c", `"$@"; exit`, "sh", b.path("mcp-sandbox-init")}, words...)...)
	}
	r, err := startReporting(c)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	report := bufio.NewReader(r)
	if line, err := report.ReadString('\n'); err != nil || !strings.Contains(line, `"enforced"`) {
		c.Wait()
		return 0, 0, fmt.Errorf("%q, %w", line, err)
	}
	began, from := time.Now(), used(c.Process.Pid)
	if end != byLimit {
		time.Sleep(lasts)
		share = (used(c.Process.Pid) - from).Seconds() / time.Since(began).Seconds()
		began = time.Now().Add(-lasts)
		c.Process.Signal([]syscall.Signal{byTerm: syscall.SIGTERM, byHost: syscall.SIGKILL}[end])
	}
	last, err := io.ReadAll(report)
	late = time.Since(began) - lasts
	c.Wait()
	cause := fmt.Sprintf(`"cause":%q`, []string{"timeout", "cancelled", "host-gone"}[end])
	if err == nil && !strings.Contains(string(last), cause) {
		err = fmt.Errorf("%q, and not %s", last, cause)
	}
	return share, late, err
}

// used is the processor time of a process's threads, without its children's: the first field of schedstat, in ns, for
// stat's ticks of 10 ms are too coarse for a few percent of some seconds.
func used(pid int) (all time.Duration) {
	threads, _ := filepath.Glob(proc(pid, "task/*/schedstat"))
	for _, name := range threads {
		b, _ := os.ReadFile(name)
		first, _, _ := strings.Cut(string(b), " ")
		ns, _ := strconv.ParseInt(first, 10, 64)
		all += time.Duration(ns)
	}
	return all
}
