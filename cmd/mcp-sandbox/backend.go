package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
)

// backend is where the server runs if not here.
type backend struct{ name, image string }

const appleContainer = "apple-container"

func (b *backend) set(s string) error {
	if s != appleContainer {
		return errors.New(strconv.Quote(s) + " is none: there is " + appleContainer)
	}
	return launchflags.Once(&b.name)(s)
}

// check is the error of the two flags together.
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
