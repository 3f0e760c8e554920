package sys

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"golang.org/x/sys/unix"
)

type (
	arg  = program.Arg
	addr = program.Addr
	call = program.Syscall
)

// CWD is AT_FDCWD.
var CWD = program.Int(unix.AT_FDCWD)

// FD is a descriptor with a number that is known when the program is built.
func FD(n int) arg { return program.Int(n) }

func sys(nr uintptr, args ...arg) call { return program.Sys(nr, args...) }
func num(v int) arg                    { return program.Int(v) }
func str(s string) arg                 { return program.Str(s) }
func ref(a addr) arg                   { return program.Ref(a) }
func words(w ...uint64) arg            { return program.Words(w...) }
