package main

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/profile"
)

// forTheEnd are the notices that stand in no line at the start, for the line about a server that ends early: of
// variables that the policy names and that are not set, and of flags behind the command.
func (r *review) forTheEnd(p *profile.Profile, command []string) (all []order.Notice) {
	for _, name := range r.policy.Unset(os.Environ()) {
		given := p != nil && (slices.Contains(p.Required, name) || slices.Contains(p.Optional, name))
		if !given && !strings.HasSuffix(name, "*") && len(all) < mostForEnd {
			all = append(all, order.Notice{Kind: order.NoticeUnset, Name: name, Flag: "--env " + name + "=VALUE"})
		}
	}
	return append(all, behind(command)...)
}

const mostForEnd = 16

// behind are the notices of flags of this program among the server's arguments. Words that other programs have as flags
// too are passed over, and so is deno, which has some of those that are left.
func behind(command []string) (all []order.Notice) {
	if slices.ContainsFunc(command, func(word string) bool { return strings.HasPrefix(path.Base(word), "deno") }) {
		return nil
	}
	for _, word := range command[1:] {
		flag, _, _ := strings.Cut(word, "=")
		name, ok := strings.CutPrefix(flag, "--")
		if ok && len(all) < mostForEnd && slices.ContainsFunc(policyFlags(), func(f policyFlag) bool {
			return f.name == name && isOurs(&f)
		}) {
			all = append(all, order.Notice{Kind: order.NoticeBehind, Name: flag, Flag: flag})
		}
	}
	return all
}

// isOurs reports whether a flag is that of no other program that is likely to be a server.
func isOurs(f *policyFlag) bool {
	section, _, _ := strings.Cut(f.key, ".")
	switch f.key {
	case "network.publish":
		return false
	case "minConfinement", "subprocess.allow", "onStdinClose", "onHostExit", "seccomp.deny":
		return true
	}
	return section == "filesystem" || section == "network"
}
