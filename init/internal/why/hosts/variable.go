package hosts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

const envVarsKey = "/envVars/"

// Variable answers whether the server has a variable of that name. env is the launcher's environment, NAME=VALUE. HOME
// is set by every launch that confines.
func Variable(p *policy.Policy, env []string, name string) order.Answer {
	shown := text.Printable(name)
	a := order.Answer{Allowed: order.ActAllowed, By: order.NoEntry, OnHost: has(env, name)}
	asked := forwarding(p, env)
	got, _ := asked.Environ(env)
	switch {
	case given(asked, name):
		a.By = "/env" + strictjson.Step(name)
		a.Text = shown + " is set at " + text.Printable(a.By)
	case name == "HOME" && p.Level != policy.Privileged:
		a.Text = "HOME is set by the launch: the home that the server has"
	case has(got, name):
		if a.By = forwardedBy(p, env, name); a.By == order.NoEntry {
			a.Text = shown + " is forwarded by default"
		} else {
			a.Text = shown + " is forwarded at " + a.By
		}
	default:
		dropped(&a, p, env, name)
	}
	return a
}

// forwarding is the policy that a launch makes the environment of. With the agent's socket goes its variable.
func forwarding(p *policy.Policy, env []string) *policy.Policy {
	if with, err := p.WithAgent(env); err == nil {
		return &with
	}
	return p
}

func has(env []string, name string) bool {
	return name != "" && slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
}

// given reports whether a policy sets a variable itself.
func given(p *policy.Policy, name string) bool {
	own, _ := p.Environ(nil)
	return has(own, name)
}

// forwardedBy is the entry that forwards a variable. Each entry is asked alone, and no entry before that.
func forwardedBy(p *policy.Policy, env []string, name string) string {
	forwards := func(one policy.Policy) bool {
		one.Level = p.Level
		got, _ := one.Environ([]string{name + "=x"})
		return has(got, name)
	}
	if forwards(policy.Policy{}) {
		return order.NoEntry
	}
	agent := policy.Policy{Network: policy.Network{AllowUnixSockets: []string{policy.AgentSocket}}}
	if forwards(*forwarding(&agent, env)) { // the agent's variable goes with its socket; an order has both entries
		for i, socket := range p.Network.AllowUnixSockets {
			socket = strings.TrimPrefix(socket, "-")
			if socket == policy.AgentSocket || slices.Contains(env, name+"="+socket) {
				return "/network/allowUnixSockets/" + strconv.Itoa(i)
			}
		}
	}
	for i := range p.EnvVars {
		if forwards(policy.Policy{EnvVars: p.EnvVars[i : i+1]}) {
			return envVarsKey + strconv.Itoa(i)
		}
	}
	return order.NoEntry
}

// dropped is the answer for a variable that the server has not.
func dropped(a *order.Answer, p *policy.Policy, env []string, name string) {
	shown := text.Printable(name)
	a.Allowed, a.Reason = order.ActDenied, order.ByPolicy
	c := change{policy: *p, flags: []string{"--env", name}, opens: gives(p, name),
		patch: []order.Patch{{Op: "add", Path: envVarsKey + "-", Value: name}}}
	if err := c.policy.Set("envVars", name); err != nil {
		a.Text = err.Error()
		return
	}
	if strings.HasSuffix(name, "*") {
		a.Text = shown + " is a pattern: ask about one name"
		return
	}
	if !a.OnHost {
		a.Reason = order.ByMissing
		a.Text = shown + " is not set where the launcher starts: --env " + shown + "=VALUE sets one"
		return
	}
	a.Text = shown + " is not forwarded: no entry of envVars names the variable"
	if got, _ := c.policy.Environ(env); has(got, name) {
		c.suggest(a, false)
	}
}

// gives says which further access a variable opens; nil for none.
func gives(p *policy.Policy, name string) []string {
	switch {
	case isProxy(name) && len(p.Network.AllowedDomains) > 0:
		return []string{"the server can reach what that proxy does, once allowedDomains names the proxy"}
	case isProxy(name):
		return []string{"the server gets the value of " + name + ", which may hold a password"}
	case isCode(name):
		return []string{"the server's programs execute what " + name + " names"}
	case notice.IsSetting(name):
		return []string{"the server gets the value of " + text.Printable(name) +
			", which looks like a secret or an address"}
	}
	return nil
}

// isProxy reports whether programs ask a proxy that the variable names.
func isProxy(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, "_proxy") && lower != "no_proxy"
}

// isCode reports whether a loader or an interpreter executes code that the variable names, before the program itself.
func isCode(name string) bool {
	switch name {
	case "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "NODE_OPTIONS", "NODE_PATH", "PYTHONPATH", "PYTHONHOME",
		"PYTHONSTARTUP", "RUBYOPT", "RUBYLIB", "PERL5OPT", "PERL5LIB", "BASH_ENV", "ENV", "JAVA_TOOL_OPTIONS",
		"_JAVA_OPTIONS", "GCONV_PATH":
		return true
	}
	return false
}
