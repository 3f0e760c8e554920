package places_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// An account is what a resident tells of a place.
type account struct {
	Problem string // why there is no account

	Outside []attempt.Result // the acts without a sandbox: their control
	Doctor  launcher.Machine
	Code    int // doctor's

	Launch                  // of level standard
	Full   Launch           // the same with minConfinement full
	Weak   Launch           // the same with minConfinement limits, if the first was refused
	Inside []attempt.Result // the acts in the first that started
}

// A Launch is what one came to.
type Launch struct {
	Exit    int
	Report  *order.Enforced
	Refused *order.Refused
	Stderr  string
}

// The acts. The first two are granted, the others are not.
const (
	readGranted = iota
	writeGranted
	readSecret
	writeSecret
	connect
	acts
)

// reside tries everything in the place where it was started, with the programs in bin, and prints an account.
func reside(args []string) int {
	a := account{}
	if err := a.fill(args[0], args[1:]); err != nil {
		a.Problem = err.Error()
	}
	json.NewEncoder(os.Stdout).Encode(a)
	return 0
}

func (a *account) fill(bin string, flags []string) error {
	dir, err := os.MkdirTemp("", "place-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	granted, secret := filepath.Join(dir, "granted"), filepath.Join(dir, "secret")
	for _, d := range []string{dir, granted, secret} {
		if err := errors.Join(os.MkdirAll(d, 0o755), os.Chmod(d, 0o777), os.WriteFile(filepath.Join(d, "data"), []byte("data"), 0o666)); err != nil {
			return err
		}
		if err := os.Chmod(filepath.Join(d, "data"), 0o666); err != nil { // whatever the umask is: files hold nobody here
			return err
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	probe := []string{filepath.Join(bin, "probe"), "--", "read", granted + "/data", "--", "write", granted + "/new", "--", "read", secret + "/data",
		"--", "write", secret + "/new", "--", "tcp", l.Addr().String()}
	out, _, _, err := execute(probe...)
	if err != nil {
		return err
	}
	a.Outside = results(out)
	if err := errors.Join(os.Remove(granted+"/new"), os.Remove(secret+"/new")); err != nil {
		return err
	}

	sandbox := filepath.Join(bin, "mcp-sandbox")
	out, errs, code, err := execute(sandbox, "doctor", "--json")
	if err != nil || json.Unmarshal([]byte(out), &a.Doctor) != nil {
		return errors.Join(errors.New("doctor: "+out+errs), err)
	}
	a.Code = code
	run := append([]string{sandbox, "run", "--report", filepath.Join(dir, "report"), "--allow-write", granted}, flags...)
	if out, err = a.make(append(append(run, "--"), probe...), filepath.Join(dir, "report")); err != nil {
		return err
	}
	ran, err := a.Full.make(append(append(run, "--min-confinement", "full", "--"), probe...), filepath.Join(dir, "report"))
	if err != nil {
		return err
	}
	if a.Full.Report == nil && ran != "" {
		return errors.New("a server that was refused ran: " + ran)
	}
	if a.Report == nil {
		if out != "" {
			return errors.New("a server that was refused ran: " + out)
		}
		if out, err = a.Weak.make(append(append(run, "--min-confinement", "limits", "--"), probe...), filepath.Join(dir, "report")); err != nil {
			return err
		}
	}
	a.Inside = results(out)
	return nil
}

// make launches, and returns what the server said.
func (l *Launch) make(words []string, report string) (out string, err error) {
	if out, l.Stderr, l.Exit, err = execute(words...); err != nil {
		return "", err
	}
	b, err := os.ReadFile(report)
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(b), "\n")
	if strings.Contains(first, `"event":"refused"`) {
		l.Refused = new(order.Refused)
		return out, json.Unmarshal([]byte(first), l.Refused)
	}
	l.Report = new(order.Enforced)
	return out, json.Unmarshal([]byte(first), l.Report)
}

func execute(words ...string) (stdout, stderr string, code int, err error) {
	var out, errs bytes.Buffer
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = &out, &errs, "/"
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = nil
	}
	if err != nil {
		return "", "", 0, err
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode(), nil
}

func results(text string) (all []attempt.Result) {
	for d := json.NewDecoder(strings.NewReader(text)); d.More(); {
		var r attempt.Result
		if d.Decode(&r) != nil {
			return all
		}
		all = append(all, r)
	}
	return all
}
