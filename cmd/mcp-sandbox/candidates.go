package main

import (
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/mcp-sandbox/run"
	"github.com/security-mcp/mcp-sandbox/cmd/mcp-sandbox/wrap"
	"github.com/security-mcp/mcp-sandbox/init/ask"
	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/profile"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
)

// valueOf is what a value can be that the help calls meta, of a flag or a command. front stands before the value in its
// word.
func valueOf(of, meta, front, value string) completion {
	if ask := listOf(of); ask != nil {
		return completion{kind: "words", front: front, words: ask()}
	}
	switch {
	case meta == "PATH" && strings.HasPrefix(value, "-"): // a path that may be missing
		return completion{kind: "files", front: front + "-"}
	case meta == "PATH" || meta == "FILE" || meta == "REPORT":
		return completion{kind: "files", front: front}
	case meta == "FOLDER" || meta == "DIR":
		return completion{kind: "folders", front: front}
	case isSet(meta):
		return completion{kind: "words", front: front, words: bare(strings.Split(meta, "|"))}
	}
	return completion{}
}

// isSet reports whether the help names all values, as in deny|read.
func isSet(meta string) bool {
	return meta != "" && strings.Trim(meta, "abcdefghijklmnopqrstuvwxyz|") == ""
}

// listOf asks for the names that a flag or a command takes and only the program knows; nil for none. Where the names
// cannot be read there are none.
func listOf(of string) func() []candidate {
	switch of {
	case "install", "profile show":
		return profileWords
	case "--profile":
		return func() []candidate { return append(profileWords(), candidate{"none", "add nothing"}) }
	case "wrap", "unwrap", "status":
		return func() []candidate { return bare(wrap.HostNames()) }
	case "--server":
		return func() []candidate { return bare(wrap.ServerNames()) }
	case "store show", "store update", "store verify":
		return func() []candidate { return named(store.Names()) }
	case "state rm", "--state":
		return func() []candidate { return named(state.Names()) }
	case "--deny-syscall", "--syscall":
		return func() []candidate { return bare(ask.CallNames()) }
	case "--backend":
		return func() []candidate { return bare([]string{run.AppleContainer}) }
	case "--env", "--variable":
		return variableWords
	}
	return nil
}

func bare(words []string) (all []candidate) {
	for _, w := range words {
		all = append(all, candidate{word: w})
	}
	return all
}

func named(words []string, _ error) []candidate { return bare(words) }

// profileWords are the ids of all profiles.
func profileWords() (all []candidate) {
	l, _ := profile.List()
	for _, e := range l.Profiles {
		all = append(all, candidate{e.ID, strings.Join(e.Hosts, " ")})
	}
	return all
}

// variableWords are the names of this environment, without the values.
func variableWords() (all []candidate) {
	for _, pair := range os.Environ() {
		if name, _, ok := strings.Cut(pair, "="); ok {
			all = append(all, candidate{word: name})
		}
	}
	return all
}
