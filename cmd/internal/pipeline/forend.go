package pipeline

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// forTheEnd are the notices that stand in no line at the start, for the line about a server that ends early: of
// variables that the policy names and that are not set, and of flags behind the command.
func (r *review) forTheEnd(command []string) (all []order.Notice) {
	for _, name := range r.policy.Unset(os.Environ()) {
		given := r.profile != nil &&
			(slices.Contains(r.profile.Required, name) || slices.Contains(r.profile.Optional, name))
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
		if len(all) < mostForEnd && slices.ContainsFunc(KeyFlags(), func(k KeyFlag) bool {
			return k.Flag() == flag && isOurs(k.Key)
		}) {
			all = append(all, order.Notice{Kind: order.NoticeBehind, Name: flag, Flag: flag})
		}
	}
	return all
}

// isOurs reports whether the flag of a key is that of no other program that is likely to be a server.
func isOurs(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	switch key {
	case "network.publish":
		return false
	case "minConfinement", "subprocess.allow", "onStdinClose", "onHostExit", "seccomp.deny":
		return true
	}
	return section == "filesystem" || section == "network"
}
