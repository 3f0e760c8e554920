package layers

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// More grants than a program can hold are refused before they are compared with each other, which took half a minute.
func TestManyGrants(t *testing.T) {
	v := &fsview.View{Process: fsview.Process{Cwd: "/"}}
	for i := range 40000 {
		path := "/srv/" + strconv.Itoa(i)
		v.Nodes = append(v.Nodes, fsview.Node{Path: path, Source: path, Kind: fsview.Bind, Write: true})
	}
	for _, c := range []policy.Confinement{policy.Full, policy.Reduced} {
		began := time.Now()
		p := policy.Policy{}.Effective(policy.Init)
		l := NewLayout(make([]byte, program.Size), &p, c, false)
		if err := l.Complete(&Request{Policy: p, View: v, Machine: Machine{Landlock: Landlock{LandlockABI: 7}}}); !errors.Is(err, program.ErrFull) {
			t.Errorf("%s: %v", c, err)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: %v", c, took)
		}
	}
}

// More ports than a program can hold are nothing that init may begin with.
func TestManyPorts(t *testing.T) {
	p := policy.Policy{}.Effective(policy.Init)
	for port := range 3000 {
		p.Network.AllowedDomains = append(p.Network.AllowedDomains, "a.example:"+strconv.Itoa(1000+port))
	}
	for ports, fits := range map[int]bool{100: true, 3000: false} {
		p := p
		p.Network.AllowedDomains = p.Network.AllowedDomains[:ports]
		l := NewLayout(make([]byte, program.Size), &p, policy.Full, false)
		if got := l.Begin(&Request{Policy: p}); got != fits {
			t.Errorf("%d ports fit: %t", ports, got)
		}
		v := &fsview.View{Process: fsview.Process{Cwd: "/"}}
		if err := l.Complete(&Request{Policy: p, View: v}); (err == nil) != fits {
			t.Errorf("%d ports: %v", ports, err)
		}
	}
}
