package startline

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// Flags of deno run that hold for the program. Permissions have their value behind "=", never in the next word.
const (
	denoShort   = "ARWNESIq" // may stand in one word
	denoKept    = " --allow-all --no-prompt --quiet --no-check --v8-flags --no-code-cache --use-env-proxy "
	denoGrants  = " read write net env sys run ffi import "
	denoFetches = " npm: jsr: http: https: "
)

// readDeno reads deno run [FLAGS] npm:NAME[@RANGE][/PROGRAM]. A file of one's own is no package.
func readDeno(t *tool, words []string) (*Start, string) {
	var options []string
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' {
		word := words[0]
		if words = words[1:]; word == "--" {
			break
		}
		if !isDenoOption(word) {
			if slices.ContainsFunc(words, fetches) {
				return nil, t.notUnderstood(word)
			}
			return nil, ""
		}
		options = append(options, word)
	}
	if len(words) == 0 || !fetches(words[0]) {
		return nil, ""
	}
	spec, bin, reason := denoSpec(words[0])
	if reason != "" {
		return nil, reason
	}
	return &Start{Specs: []Spec{spec}, Bin: bin, Args: slices.Clone(words[1:]), Options: options}, ""
}

func fetches(word string) bool {
	scheme, _, found := strings.Cut(word, ":")
	return found && has(denoFetches, strings.ToLower(scheme)+":")
}

func isDenoOption(word string) bool {
	flag, _, given := strings.Cut(word, "=")
	if has(denoKept, flag) || strings.HasPrefix(flag, "--unstable-") && !given {
		return true
	}
	for _, kind := range []string{"--allow-", "--deny-", "--ignore-"} {
		if what, is := strings.CutPrefix(flag, kind); is && has(denoGrants, what) {
			return true
		}
	}
	return len(flag) > 1 && strings.Trim(flag[1:], denoShort) == ""
}

// denoSpec reads npm:NAME[@RANGE][/PROGRAM].
func denoSpec(word string) (spec Spec, bin, reason string) {
	scheme, name, _ := strings.Cut(word, ":")
	switch scheme {
	case "npm":
	case "jsr":
		return Spec{}, "", "packages of jsr are not installed by mcp-sandbox"
	default:
		return Spec{}, "", isURL
	}
	name = strings.TrimPrefix(name, "/")
	from := 0
	if strings.HasPrefix(name, "@") {
		from = strings.Index(name, "/") + 1
	}
	if i := strings.Index(name[from:], "/"); i >= 0 {
		name, bin = name[:from+i], name[from+i+1:]
		if !IsBin(bin) {
			return Spec{}, "", text.Word(bin) + " is no program of a package"
		}
	}
	spec, reason = npmSpec(name)
	return spec, bin, reason
}
