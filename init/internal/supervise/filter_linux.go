package supervise

import (
	"errors"
	"runtime"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine"
	"github.com/security-mcp/mcp-sandbox/init/internal/seccomp"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// assemble makes the seccomp program that the policy and this machine ask for, and the one that asks a listener, if the
// policy leaves the calls to hand that over.
func (s *shim) assemble() (plain, asking []byte, err error) {
	hostNet := s.policy.Level == policy.LevelNetwork
	o := seccomp.Options{NoUnix: confine.RefusesUnix(s.view, s.machine.LandlockABI, hostNet)}
	if s.shared() {
		o = seccomp.Options{NoUnix: confine.SharedUnix(s.machine.LandlockABI), NoInet: !hostNet, NoNetlink: true, NoIPC: true, NoPeers: true,
			NoCut: confine.NoCut(s.rung, s.machine.LandlockABI)}
		if confine.Guarded(s.rung, s.machine.LandlockABI) {
			o.Guarded = [2]uint32{uint32(s.init), uint32(unix.Getpid())}
		}
	}
	if s.policy.Subprocess.Allow == policy.No {
		o.OneExec = true
	}
	for _, name := range s.policy.Seccomp.Deny {
		nr, ok := seccomp.Number(name)
		if !ok {
			return nil, nil, errors.New("/seccomp/deny: " + name + ": no such system call")
		}
		o.Deny = append(o.Deny, nr)
	}
	if plain, err = assembled(o); err != nil || !o.CanNotify(runtime.GOARCH) {
		return plain, nil, err
	}
	o.Notify = true
	asking, err = assembled(o)
	return plain, asking, err
}

func assembled(o seccomp.Options) ([]byte, error) {
	code, err := seccomp.Program(runtime.GOARCH, o)
	if err != nil {
		return nil, err
	}
	return seccomp.Append(make([]byte, 0, 8*len(code)), code), nil
}
