package main

import (
	"errors"
	"runtime"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/source"
)

// backend is where the server runs if not here.
type backend struct{ name, image string }

const appleContainer = "apple-container"

// addBackend defines the flags of the one other place, which only macOS has.
func (o *options) addBackend() {
	if runtime.GOOS != "darwin" {
		return
	}
	o.heading("Backend")
	o.add("backend", "NAME",
		appleContainer+": run it in a Linux virtual machine of its own (not tried on real hardware yet)", "", o.backend.set)
	o.add("image", "IMAGE", "with it: the image that has COMMAND", "", source.Once(&o.backend.image))
}

func (b *backend) set(s string) error {
	if s != appleContainer {
		return errors.New(strconv.Quote(s) + " is none: there is " + appleContainer)
	}
	return source.Once(&b.name)(s)
}

// check is what is wrong with the two flags together.
func (b *backend) check() error {
	switch {
	case b.name == "" && b.image != "":
		return errors.New("--image needs --backend " + appleContainer)
	case b.name != "" && b.image == "":
		return errors.New("--backend " + appleContainer + " needs --image: the programs of " +
			"this system do not run in a Linux machine")
	case strings.HasPrefix(b.image, "-"):
		return errors.New("--image " + strconv.Quote(b.image) + " is no image")
	}
	return nil
}
