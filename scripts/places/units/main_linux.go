// Command units tries units of systemd's in a test machine: one for each place, with a resident in it.
//
//	units STAGE NAMES
//
// NAMES is a regular expression. The command runs as root, where systemd is process 1, and changes files that the
// machine forgets. At the end the accounts of the residents are printed, in lines that begin with [table.Line].
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
	"github.com/security-mcp/mcp-sandbox/scripts/stage"
)

func main() {
	if err := try(); err != nil {
		fmt.Fprintln(os.Stderr, "units:", err)
		os.Exit(1)
	}
}

const (
	folder  = "/opt/places" // where every unit sees it: a checkout may lie below a home, and a stage in /tmp
	results = "/run/places"
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
	places := table.Chosen(table.Systemd, chosen)
	if err := prepare(places); err != nil {
		return err
	}
	accounts := make([]table.Account, len(places))
	next := make(chan int)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for i := range next {
				began := time.Now()
				accounts[i] = start(i)
				fmt.Printf("units: %5.1f s %s\n", time.Since(began).Seconds(), places[i].Name)
			}
		})
	}
	for i := range places {
		next <- i
	}
	close(next)
	workers.Wait()
	all := map[string]table.Account{}
	for i, a := range accounts {
		all[places[i].Name] = a
	}
	return table.Print(os.Stdout, all)
}

// prepare makes what the units are given, and writes them.
func prepare(places []table.Place) error {
	if err := stage.Run(exec.Command("/bin/sh", "-euc", makeRoots, os.Args[1], folder, results)); err != nil {
		return err
	}
	for i, p := range places {
		command := folder + "/bin/resident -timeout 3m -servers " + strings.Join(table.Servers(), ",") + " " + folder
		if p.Down {
			command = "/bin/sh -c '" + table.MoveDown + " " + command + "'"
		}
		lines := []string{"[Unit]", "DefaultDependencies=no", "[Service]", "Type=oneshot", "TimeoutStartSec=10min",
			"User=mcp", "Delegate=yes", "ExecStart=" + command,
			"StandardOutput=file:" + file(i, "out"), "StandardError=file:" + file(i, "err")}
		text := strings.Join(append(lines, p.Args...), "\n") + "\n"
		if err := os.WriteFile(filepath.Join("/run/systemd/system", name(i)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return stage.Run(exec.Command("systemctl", "daemon-reload"))
}

func name(i int) string              { return fmt.Sprintf("place-%d.service", i) }
func file(i int, what string) string { return fmt.Sprintf("%s/%d.%s", results, i, what) }

// start runs one unit to its end.
func start(i int) (a table.Account) {
	output, err := exec.Command("systemctl", "start", name(i)).CombinedOutput()
	text, _ := os.ReadFile(file(i, "out"))
	if bad := json.Unmarshal(text, &a); bad != nil || err != nil {
		const properties = "Result,ExecMainStatus,ExecMainCode,StatusErrno"
		status, _ := exec.Command("systemctl", "show", "-p", properties, name(i)).CombinedOutput()
		errs, _ := os.ReadFile(file(i, "err"))
		a.Problem += fmt.Sprintf("%v, %v: %s%s%s%s", err, bad, text, output, status, errs)
	}
	return a
}
