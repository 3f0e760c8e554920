package run

import (
	"errors"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
)

// backend is where the server runs if not here.
type backend struct{ name, image string }

// AppleContainer is the name of the one backend.
const AppleContainer = "apple-container"

func (b *backend) set(s string) error {
	if s != AppleContainer {
		return errors.New(strconv.Quote(s) + " is none: there is " + AppleContainer)
	}
	return launchflags.Once(&b.name)(s)
}

// addBackend defines the flags of the one other place where a server can run, which only macOS has.
func addBackend(f *cli.Flags) *backend {
	b := &backend{}
	const mac = "darwin"
	f.On(mac, cli.Line{Text: "Backend"}, "", nil)
	f.On(mac, cli.Line{Name: "backend", Value: "NAME", Text: AppleContainer + ": run it in a Linux virtual machine " +
		"of its own (not tried on real hardware yet)"}, "", b.set)
	f.On(mac, cli.Line{Name: "image", Value: "IMAGE", Text: "with it: the image that has COMMAND"}, "",
		launchflags.Once(&b.image))
	return b
}

// check is the error of the two flags together.
func (b *backend) check() error {
	switch {
	case b.name == "" && b.image != "":
		return errors.New("--image needs --backend " + AppleContainer)
	case b.name != "" && b.image == "":
		return errors.New("--backend " + AppleContainer + " needs --image: the programs of " +
			"this system do not run in a Linux machine")
	case strings.HasPrefix(b.image, "-"):
		return errors.New("--image " + strconv.Quote(b.image) + " is no image")
	}
	return nil
}
