package supervise

import (
	"errors"
	"runtime"

	"github.com/security-mcp/mcp-sandbox/init/internal/filter"
	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// assemble makes the seccomp program that the policy and this machine ask for, and the one that asks a listener, if the
// policy leaves the calls to hand that over.
func (s *shim) assemble() (plain, asking []byte, err error) {
	hostNet := s.policy.Level == policy.LevelNetwork
	o := filter.Options{NoUnix: rows.RefusesUnix(s.view, s.machine.LandlockABI, hostNet)}
	if s.shared() {
		o = filter.Options{NoUnix: rows.SharedUnix(s.machine.LandlockABI), NoInet: !hostNet, NoNetlink: true, NoIPC: true, NoPeers: true,
			NoCut: rows.NoCut(s.rung, s.machine.LandlockABI)}
		if rows.Guarded(s.rung, s.machine.LandlockABI) {
			o.Guarded = [2]uint32{uint32(s.init), uint32(unix.Getpid())}
		}
	}
	if s.policy.Subprocess.Allow == policy.No {
		o.OneExec = true
	}
	for _, name := range s.policy.Seccomp.Deny {
		nr, ok := filter.Number(name)
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

func assembled(o filter.Options) ([]byte, error) {
	code, err := filter.Program(runtime.GOARCH, o)
	if err != nil {
		return nil, err
	}
	return filter.Append(make([]byte, 0, 8*len(code)), code), nil
}
