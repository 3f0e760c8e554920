package launcher_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A needy is a real server that needs variables, as people write one into an mcp.json.
type needy struct {
	entry string // inside node_modules
	args  string
	env   string // the names of its variables
	lives bool   // the server starts without them, and fails at each call
	mute  bool   // the server ends without them, and with 0
	long  bool   // for the long forms of the suite: it does as another of the list
}

// value is what each variable of a needy has.
const value = "s3cret-Value"

var needies = []needy{
	{entry: "@modelcontextprotocol/server-slack/dist/index.js", env: "SLACK_BOT_TOKEN SLACK_TEAM_ID"},
	{entry: "@modelcontextprotocol/server-google-maps/dist/index.js", env: "GOOGLE_MAPS_API_KEY", long: true},
	{entry: "@modelcontextprotocol/server-gitlab/dist/index.js", env: "GITLAB_PERSONAL_ACCESS_TOKEN", long: true},
	{entry: "@modelcontextprotocol/server-brave-search/dist/index.js", env: "BRAVE_API_KEY", long: true},
	{entry: "@modelcontextprotocol/server-everart/dist/index.js", env: "EVERART_API_KEY", long: true},
	{entry: "@modelcontextprotocol/server-github/dist/index.js", env: "GITHUB_PERSONAL_ACCESS_TOKEN", lives: true},
	{entry: "@brave/brave-search-mcp-server/dist/index.js", env: "BRAVE_API_KEY", long: true},
	{entry: "@cloudflare/mcp-server-cloudflare/dist/index.js", args: "run 0123456789abcdef", env: "CLOUDFLARE_API_TOKEN CLOUDFLARE_ACCOUNT_ID", mute: true},
	{entry: "@hubspot/mcp-server/dist/index.js", env: "PRIVATE_APP_ACCESS_TOKEN", long: true},
	{entry: "@perplexity-ai/mcp-server/dist/index.js", env: "PERPLEXITY_API_KEY", long: true},
	{entry: "airtable-mcp-server/dist/main.js", env: "AIRTABLE_API_KEY", long: true},
	{entry: "linear-mcp-server/build/index.js", env: "LINEAR_API_KEY"},
}

// A needyRun is what came of one start.
type needyRun struct {
	err            error // of initialize or tools/list
	tools          int
	stdout, stderr bytes.Buffer
	report         []byte
	enforced       order.Enforced
	exited         order.Exited
}

// start starts a server through mcp-sandbox run as a client that is no shell does: with the variables added to its own
// environment, over pipes. The client asks for the tools, and ends a server that answers by SIGTERM.
func (n *needy) start(t *testing.T, flags ...string) *needyRun {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	installed, report := testbed.Modules(t), filepath.Join(t.TempDir(), "report")
	words := append([]string{"run", "--report", report, "--allow-read", installed}, flags...)
	words = append(words, "--", testbed.Node(t), filepath.Join(installed, n.entry))
	cmd := exec.CommandContext(ctx, testbed.Command(t, "mcp-sandbox"), append(words, strings.Fields(n.args)...)...)
	cmd.Dir = "/"
	for _, own := range os.Environ() {
		if !strings.HasPrefix(own, "GO") { // of the test's own making
			cmd.Env = append(cmd.Env, own)
		}
	}
	for name := range strings.FieldsSeq(n.env) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	run := &needyRun{}
	cmd.Stderr = &run.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	run.ask(ctx, io.TeeReader(stdout, &run.stdout), stdin)
	if run.err == nil {
		cmd.Process.Signal(syscall.SIGTERM)
	}
	cmd.Wait()
	more, _ := io.ReadAll(stdout)
	run.stdout.Write(more)
	stdout.Close()
	if run.report, err = os.ReadFile(report); err != nil {
		t.Fatal(err)
	}
	first, rest, _ := bytes.Cut(run.report, []byte("\n"))
	last := rest[bytes.LastIndexByte(bytes.TrimSpace(rest), '\n')+1:]
	if err := errors.Join(json.Unmarshal(first, &run.enforced), json.Unmarshal(last, &run.exited)); err != nil {
		t.Fatal(err)
	}
	return run
}

// ask makes initialize and tools/list.
func (run *needyRun) ask(ctx context.Context, from io.Reader, to io.WriteCloser) {
	client := mcp.NewClient(&mcp.Implementation{Name: "testbed", Version: "1"},
		&mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: io.NopCloser(from), Writer: to}, nil)
	if err != nil {
		run.err = err
		return
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if run.err = err; err == nil {
		run.tools = len(list.Tools)
	}
}

// own are the lines of mcp-sandbox on standard error; the others are the server's.
func (run *needyRun) own() (lines []string) {
	for line := range strings.Lines(run.stderr.String()) {
		if text, ok := strings.CutPrefix(line, "mcp-sandbox: "); ok {
			lines = append(lines, strings.TrimSuffix(text, "\n"))
		}
	}
	return lines
}

// check finds what no start may do: write something else than messages to standard output, or show a value.
func (run *needyRun) check(t *testing.T) {
	t.Helper()
	for line := range bytes.Lines(run.stdout.Bytes()) {
		var message struct{ JSONRPC string }
		if json.Unmarshal(line, &message) != nil || message.JSONRPC != "2.0" {
			t.Errorf("on standard output: %q", line)
		}
	}
	for _, text := range []string{run.stderr.String(), string(run.report)} {
		if strings.Contains(text, value) {
			t.Errorf("a value is shown: %s", text)
		}
	}
}

// A client's variable that is not forwarded is named, where the server starts and where it does not, and its value
// nowhere. With --env mcp-sandbox says nothing at all.
func TestServersThatNeedVariables(t *testing.T) {
	t.Parallel()
	testbed.Modules(t)
	testbed.Command(t, "mcp-sandbox")
	for _, n := range needies {
		if testing.Short() && n.long {
			continue
		}
		t.Run(strings.ReplaceAll(filepath.Dir(filepath.Dir(n.entry)), "/", " "), func(t *testing.T) {
			t.Parallel()
			names := strings.Fields(n.env)
			t.Run("without", func(t *testing.T) { n.without(t, names) })
			t.Run("with", func(t *testing.T) { n.with(t, names) })
		})
	}
}

func (n *needy) without(t *testing.T, names []string) {
	run := n.start(t)
	run.check(t)
	flags := make([]string, len(names))
	for i, name := range names {
		flags[i] = "--env " + name
	}
	want := []string{"not forwarded to the server: " + strings.Join(names, ", ") + " (" + strings.Join(flags, " ") + ")"}
	if len(names) == 1 {
		want[0] = "not forwarded to the server: " + names[0] + ", which the program that started this one set (" + flags[0] + " forwards it)"
	}
	own := run.own()
	switch {
	case n.lives:
		if run.err != nil || run.tools == 0 {
			t.Errorf("%v, %d tools\n%s", run.err, run.tools, &run.stderr)
		}
	case run.err == nil || run.stdout.Len() > 0:
		t.Errorf("the server started, or said %q", &run.stdout)
	case n.mute:
	case run.exited.WallSeconds >= (notice.Early - 2*time.Second).Seconds(): // about where a slow server's end is no early one
		own = own[:min(1, len(own))]
	case len(own) > 1:
		end := own[1]
		if !strings.HasPrefix(end, "the server ended with ") || !strings.Contains(end, "Not given to it: variables "+strings.Join(names, ", ")) {
			t.Errorf("at the end: %s", end)
		}
		own = own[:1]
	default:
		t.Errorf("no line at the end: %s", &run.stderr)
	}
	if !slices.Equal(own, want) {
		t.Errorf("%q\nwant %q", own, want)
	}
	var noticed []string
	for _, notice := range run.enforced.Notices {
		noticed = append(noticed, string(notice.Kind)+" "+notice.Flag)
	}
	for i := range flags {
		flags[i] = "env " + flags[i]
	}
	if !slices.Equal(noticed, flags) {
		t.Errorf("the report's notices are %q, want %q", noticed, flags)
	}
}

func (n *needy) with(t *testing.T, names []string) {
	var flags []string
	for _, name := range names {
		flags = append(flags, "--env", name)
	}
	run := n.start(t, flags...)
	run.check(t)
	if own := run.own(); len(own) > 0 || run.err != nil || run.tools == 0 || len(run.enforced.Notices) > 0 {
		t.Errorf("%q, %v, %d tools, %+v\n%s", own, run.err, run.tools, run.enforced.Notices, &run.stderr)
	}
}
