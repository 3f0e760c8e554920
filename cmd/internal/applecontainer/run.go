package applecontainer

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Config is one launch.
type Config struct {
	Order *order.Order
	Image string
	Tool  string // path of "container"
	Say   func(string)
}

const (
	askTimeout   = 10 * time.Second // one question to the tool
	startTimeout = 2 * time.Minute  // an image may have to be fetched
	endTimeout   = 30 * time.Second // delete, whatever happens
)

// requiredOptions are those without which a machine would have more than the policy says.
func requiredOptions() []string {
	return []string{"--mount", "--network", "--read-only", "--tmpfs", "--entrypoint"}
}

// Run starts the machine and the server in it, and returns the exit code when both have ended.
func Run(c Config) int {
	r := &run{Config: c, id: order.NewID(), began: time.Now(), signals: make(chan os.Signal, 8)}
	signal.Notify(r.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer r.remove()
	enforced, err := r.prepare()
	if err == nil {
		err = r.write(enforced, 5*time.Second)
	}
	if err != nil {
		return r.refuse(err)
	}
	for _, line := range notice.AtStart(c.Order, enforced, enforced.Warnings) {
		c.Say(line)
	}
	return r.serve()
}

type run struct {
	Config
	id      string // of the launch, in its report
	policy  policy.Policy
	request Request
	began   time.Time
	signals chan os.Signal
	made    bool // there is or may be a machine
}

func refusal(layer order.Layer, op string, err error) error {
	return &order.Refusal{Layer: layer, Op: op, Err: err}
}

// prepare asks the tool, makes the machine and looks at it.
func (r *run) prepare() (*order.Enforced, error) {
	o := r.Order
	var err error
	if r.policy, err = policy.ParseCanonical(o.Policy); err != nil {
		return nil, refusal(order.Policy, "parse", err)
	}
	if !policy.ConfinementLimits.Holds(r.policy.MinConfinement) {
		return nil, refusal(order.Policy, "reach minConfinement "+string(r.policy.MinConfinement),
			errors.New("of a virtual machine's inside nothing is proved here: it counts as limits"))
	}
	if keys := unheld(&r.policy); len(keys) > 0 {
		return nil, refusal(order.Policy, "hold "+strings.Join(keys, ", "),
			errors.New("the backend has nothing for it"))
	}
	if err = r.ask(); err != nil {
		return nil, refusal(order.Exec, "ask the container tool", err)
	}
	r.request = Request{Policy: r.policy, Name: name(), Image: r.Image, Command: o.Command, Env: o.Env,
		Dir: r.policy.Cwd}
	start, err := r.request.Start()
	if err != nil {
		return nil, refusal(order.Policy, "grant", err)
	}
	r.made = true
	if _, err = r.call(startTimeout, start); err != nil {
		return nil, refusal(order.Exec, "start a virtual machine", err)
	}
	text, err := r.call(askTimeout, r.request.Inspect())
	if err != nil {
		return nil, refusal(order.Root, "inspect", err)
	}
	m, err := parse(text)
	if err != nil {
		return nil, refusal(order.Root, "inspect", err)
	}
	layers, err := m.layers(&r.request)
	if err != nil {
		return nil, err
	}
	return r.enforced(layers), nil
}

// ask finds out whether the tool answers, its service runs, and it has the options.
func (r *run) ask() error {
	if _, err := r.call(askTimeout, []string{"system", "status"}); err != nil {
		return errors.Join(err, errors.New("`container system start` starts its service"))
	}
	help, err := r.call(askTimeout, []string{"run", "--help"})
	if err != nil {
		return err
	}
	for _, option := range requiredOptions() {
		if !bytes.Contains(help, []byte(option)) {
			return errors.New("this container tool has no " + option)
		}
	}
	return nil
}

// call makes one call of the tool, which only its timeout ends.
func (r *run) call(within time.Duration, args []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.Tool, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.New("container " + args[0] + ": " + err.Error() + ": " + strings.TrimSpace(errs.String()))
	}
	return out, nil
}

// remove deletes the machine, also where the call that starts it failed: the machine may be there.
func (r *run) remove() {
	if !r.made {
		return
	}
	if _, err := r.call(endTimeout, r.request.Delete()); err != nil {
		r.Say("the virtual machine " + r.request.Name + " could not be deleted: " + err.Error())
	}
}
