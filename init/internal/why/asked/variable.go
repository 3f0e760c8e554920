package asked

import (
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

// Variable answers whether the server has a variable of that name. env is the launcher's environment, NAME=VALUE.
// HOME is set by the launch itself.
func Variable(p *policy.Policy, env []string, name string) order.Answer {
	a := order.Answer{Allowed: order.ActAllowed, By: byDefault, OnHost: has(env, name)}
	got, _ := p.Environ(env)
	switch {
	case slices.ContainsFunc(p.Env, func(v policy.Variable) bool { return v.Name == name }):
		a.By = "/env" + strictjson.Step(name)
	case has(got, name):
		if i := forwardedBy(p, name); i >= 0 {
			a.By = "/envVars/" + strconv.Itoa(i)
		}
	case !a.OnHost:
		a.Allowed, a.Reason = order.ActDenied, order.ByMissing
		a.Text = name + " is not set where the launcher starts either"
		return a
	default:
		a.Allowed, a.Reason = order.ActDenied, order.ByPolicy
		a.Text = name + " is not handed on"
		a.Flags = []string{"--env", name}
		a.Patch = []order.Patch{{Op: "add", Path: "/envVars/-", Value: name}}
		return a
	}
	a.Text = name + " is handed on: " + a.By
	return a
}

func has(env []string, name string) bool {
	return slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
}

// forwardedBy is the position in envVars of the first entry that alone forwards a variable; -1: none.
func forwardedBy(p *policy.Policy, name string) int {
	for i := range p.EnvVars {
		one := policy.Policy{EnvVars: p.EnvVars[i : i+1]}
		if env, _ := one.Environ([]string{name + "=x"}); len(env) > 0 {
			return i
		}
	}
	return -1
}
