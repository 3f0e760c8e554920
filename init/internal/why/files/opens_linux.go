package files

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/explain"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// maxOpens is how many sentences of a kind there are about a change.
const maxOpens = 5

// A widening compares a launch with the same one after a change.
type widening struct {
	before, after *Launch
	change        *change
	all           []string
}

// opens says which access a change opens besides the asked act: the worst first.
func opens(before, after *Launch, c *change) []string {
	w := widening{before: before, after: after, change: c}
	w.homes()
	w.secrets()
	w.own()
	w.warnings()
	w.programs()
	for _, at := range c.at {
		w.folder(at)
	}
	w.keys()
	return w.all
}

func (w *widening) say(text string) {
	if !slices.Contains(w.all, text) {
		w.all = append(w.all, text)
	}
}

// new is the right that the server gains at a path of the host: "read", "write" or "".
func (w *widening) new(at string) string {
	was, is := w.before.Plan.Find(at), w.after.Plan.Find(at)
	switch {
	case !is.Host() || w.after.Plan.Look(is.Path) == fsview.KindNone:
		return ""
	case is.Write && !(was.Host() && was.Write) && w.after.Plan.Permits(is.Path, unix.W_OK) == nil:
		return "write"
	case is.Read && !(was.Host() && was.Read) && w.after.Plan.Permits(is.Path, unix.R_OK) == nil:
		return "read"
	}
	return ""
}

func (w *widening) homes() {
	for _, home := range w.before.Plan.Homes() {
		if right := w.new(home); right != "" {
			w.say("the server can " + right + " the whole home " + home + ": keys, tokens, mail, histories")
		}
	}
}

// secrets says which secrets of the homes, and which at the top of an opened folder, the server comes to.
func (w *widening) secrets() {
	var found []string
	for _, home := range w.before.Plan.Homes() {
		for name, what := range explain.Secrets() {
			at := home + "/" + name
			if right := w.new(at); right != "" {
				found = append(found, "the server can "+right+" "+at+": "+what)
			}
			for _, part := range w.change.at {
				real, _, _ := w.after.Plan.OnHost(part)
				if policy.Below(real, at) && w.new(real) != "" {
					found = append(found, "the server can "+w.word(real)+" "+real+", which lies among "+what)
				}
			}
		}
	}
	for _, at := range w.change.at {
		real, is, _ := w.after.Plan.OnHost(at)
		if is && explain.SecretName(real) {
			found = append(found, "the server can "+w.word(real)+" "+real+", which by its name holds a secret")
		}
		left := 1000
		_ = w.after.Plan.List(real, func(name string) bool {
			if explain.SecretName(name) && w.new(real+"/"+name) != "" {
				at := real + "/" + name
				found = append(found, "the server can "+w.word(at)+" "+at+", which by its name holds a secret")
			}
			left--
			return left > 0 && len(found) <= 1000
		})
	}
	w.some(found, "secrets")
}

// word is the right that the server has at a path after the change.
func (w *widening) word(at string) string {
	if w.after.Plan.Find(at).Write {
		return "write"
	}
	return "read"
}

// some says the first of many.
func (w *widening) some(found []string, what string) {
	slices.Sort(found)
	found = slices.Compact(found)
	for i, text := range found {
		if i == maxOpens {
			w.say("and " + strconv.Itoa(len(found)-i) + " more " + what)
			return
		}
		w.say(text)
	}
}

// own is about this product's folders: policies of other servers, their homes, reports.
func (w *widening) own() {
	for _, folder := range w.before.Plan.OwnFolders() {
		if right := w.new(folder); right != "" {
			w.say("the server can " + right + " " + folder + ", a folder of mcp-sandbox itself, with what it " +
				"keeps of other servers")
		}
	}
	for _, at := range w.change.at {
		real, _, _ := w.after.Plan.OnHost(at)
		for _, folder := range w.before.Plan.OwnFolders() {
			if policy.Below(real, folder) && w.new(real) != "" {
				w.say("the server can " + w.new(real) + " " + real + ", which is of mcp-sandbox itself")
			}
		}
	}
}

// warnings are those of the planner that the policy had not before, but for those about read-only paths.
func (w *widening) warnings() {
	for _, text := range w.after.Plan.View.Warnings {
		if !slices.Contains(w.before.Plan.View.Warnings, text) && !strings.Contains(text, "read-only") {
			w.say(text)
		}
	}
}

// programs is about folders of the host's PATH, and names that cannot be protected because they are not there.
func (w *widening) programs() {
	for folder := range strings.SplitSeq(os.Getenv("PATH"), ":") {
		if folder != "" && folder[0] == '/' && w.new(folder) == "write" {
			w.say("the server can write " + folder + ", where your shell looks for programs")
		}
		for _, at := range w.change.at {
			if real, _, _ := w.after.Plan.OnHost(at); dirOf(real) == folder && w.new(real) == "write" {
				w.say("the server can write " + real + ", which your shell finds by its name")
			}
		}
	}
	was, is := w.before.Plan.View.Unprotected, w.after.Plan.View.Unprotected
	for _, at := range w.change.at {
		real, _, _ := w.after.Plan.OnHost(at)
		if !w.after.Plan.Find(real).Write {
			continue
		}
		made := func(path string) bool { return policy.Below(path, real) && !slices.Contains(was, path) }
		if i := slices.IndexFunc(is, made); i >= 0 {
			w.say("the server can make " + is[i] + " and the like, which others of your programs execute or trust")
		}
	}
}

// folder is about all that lies in a folder.
func (w *widening) folder(at string) {
	real, is, _ := w.after.Plan.OnHost(at)
	switch kind := w.after.Plan.Look(real); {
	case !is:
	case kind == fsview.KindFolder && w.after.Plan.Find(real).Write:
		w.say("the server can write all of " + real + ", at any depth")
	case kind == fsview.KindFolder:
		w.say("the server can read all of " + real + ", at any depth")
	case kind == fsview.KindSocket:
		w.say("the server can do all that the program at " + real + " does for those who connect")
	}
}

// keys is about the further access that a key opens.
func (w *widening) keys() {
	was, is := &w.before.Policy, &w.after.Policy
	if was.Level == policy.Strict && is.Level != policy.Strict {
		w.say("every allowWrite can be written, and without \"subprocess\" and \"limits\" in the policy the server " +
			"may start programs and use more memory and processes")
	}
	if was.Subprocess.Allow == policy.No && is.Subprocess.Allow != policy.No {
		w.say("the server can start every program that it sees, any number of them")
	}
	for _, at := range w.change.at {
		if w.change.removal && w.after.Plan.Look(at) == fsview.KindFile {
			w.say("nothing hides or holds " + at + " any more")
		}
	}
}
