// Command units tries units of systemd's in a test machine: one for each place, with a resident in it.
//
//	units STAGE NAMES
//
// NAMES is a regular expression. It runs as root, where systemd is process 1, and changes files that the machine forgets.
// What the residents told it prints at the end, in lines that begin with [table.Line].
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/places/table"
)

func main() {
	if err := try(); err != nil {
		fmt.Fprintln(os.Stderr, "units:", err)
		os.Exit(1)
	}
}

const (
	stage = "/opt/places" // where every unit sees it: a checkout may lie below a home, and a stage in /tmp
	told  = "/run/places"
	user  = "mcp"
	uid   = 1000
)

// atOnce are the machine's processors.
const atOnce = 2

func try() error {
	if len(os.Args) != 3 {
		return errors.New("two arguments: a folder and a regular expression")
	}
	chosen, err := regexp.Compile(os.Args[2])
	if err != nil {
		return err
	}
	var places []table.Place
	for _, p := range table.Units() {
		if chosen.MatchString(table.Systemd + "/" + p.Name) {
			places = append(places, p)
		}
	}
	if err := prepare(places); err != nil {
		return err
	}
	accounts := make([]table.Account, len(places))
	var next int
	var mutex sync.Mutex
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for {
				mutex.Lock()
				i := next
				next++
				mutex.Unlock()
				if i >= len(places) {
					return
				}
				began := time.Now()
				accounts[i] = start(i)
				fmt.Printf("units: %5.1f s %s\n", time.Since(began).Seconds(), places[i].Name)
			}
		})
	}
	workers.Wait()
	all := map[string]table.Account{}
	for i, a := range accounts {
		all[places[i].Name] = a
	}
	return table.Print(os.Stdout, all)
}

// prepare copies the stage, makes the user, and writes the units.
func prepare(places []table.Place) error {
	if err := os.CopyFS(stage, os.DirFS(os.Args[1])); err != nil {
		return err
	}
	home := "/home/" + user
	if err := errors.Join(os.MkdirAll(told, 0o755), os.MkdirAll(home, 0o700), os.Chown(home, uid, uid)); err != nil {
		return err
	}
	if err := add("/etc/passwd", fmt.Sprintf("%s:x:%d:%d::%s:/bin/sh\n", user, uid, uid, home)); err != nil {
		return err
	}
	if err := add("/etc/group", fmt.Sprintf("%s:x:%d:\n", user, uid)); err != nil {
		return err
	}
	if err := makeStages(); err != nil {
		return err
	}
	for i, p := range places {
		command := stage + "/bin/resident -patience 3m -servers " + strings.Join(table.Servers(), ",") + " " + stage
		if p.Down {
			command = "/bin/sh -c '" + table.MoveDown + " " + command + "'"
		}
		lines := []string{"[Unit]", "DefaultDependencies=no", "[Service]", "Type=oneshot", "TimeoutStartSec=10min", "User=" + user, "Delegate=yes",
			"ExecStart=" + command,
			"StandardOutput=file:" + file(i, "out"), "StandardError=file:" + file(i, "err")}
		text := strings.Join(append(lines, p.Args...), "\n") + "\n"
		if err := os.WriteFile(filepath.Join("/run/systemd/system", name(i)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if out, err := exec.Command("systemctl", "daemon-reload").CombinedOutput(); err != nil {
		return fmt.Errorf("systemctl: %w: %s", err, out)
	}
	return nil
}

func add(path, line string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

func name(i int) string              { return fmt.Sprintf("place-%d.service", i) }
func file(i int, what string) string { return fmt.Sprintf("%s/%d.%s", told, i, what) }

// start runs one unit to its end.
func start(i int) (a table.Account) {
	said, err := exec.Command("systemctl", "start", name(i)).CombinedOutput()
	text, _ := os.ReadFile(file(i, "out"))
	if bad := json.Unmarshal(text, &a); bad != nil || err != nil {
		status, _ := exec.Command("systemctl", "show", "-p", "Result,ExecMainStatus,ExecMainCode,StatusErrno", name(i)).CombinedOutput()
		errs, _ := os.ReadFile(file(i, "err"))
		a.Problem += fmt.Sprintf("%v, %v: %s%s%s%s", err, bad, text, said, status, errs)
	}
	return a
}
