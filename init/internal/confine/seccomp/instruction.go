package seccomp

import "encoding/binary"

// An Instruction is one struct sock_filter of linux/filter.h.
type Instruction struct {
	Code   uint16
	JT, JF uint8
	K      uint32
}

// instructionSize is sizeof(struct sock_filter).
const instructionSize = 8

// Append adds the program to b as seccomp(2) reads it on a little-endian machine: eight bytes an instruction.
func Append(b []byte, program []Instruction) []byte {
	for _, i := range program {
		b = binary.LittleEndian.AppendUint16(b, i.Code)
		b = append(b, i.JT, i.JF)
		b = binary.LittleEndian.AppendUint32(b, i.K)
	}
	return b
}

// decode reads the instruction at position i of a pre-assembled block.
func decode(block string, i int) Instruction {
	s := block[i*instructionSize:]
	return Instruction{
		Code: uint16(s[0]) | uint16(s[1])<<8,
		JT:   s[2],
		JF:   s[3],
		K:    uint32(s[4]) | uint32(s[5])<<8 | uint32(s[6])<<16 | uint32(s[7])<<24,
	}
}

// Codes of linux/bpf_common.h.
const (
	opLoad   = 0x20 // BPF_LD | BPF_W | BPF_ABS
	opJump   = 0x05 // BPF_JMP | BPF_JA
	opEqual  = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
	opFrom   = 0x35 // BPF_JMP | BPF_JGE | BPF_K: taken from K upwards
	opReturn = 0x06 // BPF_RET | BPF_K

	// Of blocks alone.
	opAbove = 0x25 // BPF_JMP | BPF_JGT | BPF_K
	opBits  = 0x45 // BPF_JMP | BPF_JSET | BPF_K
)

// Offsets in struct seccomp_data.
const (
	offNumber = 0
	offArch   = 4
)

// Audit architectures of linux/audit.h.
const (
	auditAMD64 = 0xc000003e
	auditARM64 = 0xc00000b7
)

// The results of a filter, of linux/seccomp.h; an errno is in the low 16 bits.
const (
	retKill   = 0x80000000 // SECCOMP_RET_KILL_PROCESS
	retErrno  = 0x00050000
	retTrace  = 0x7ff00000
	retNotify = 0x7fc00000 // SECCOMP_RET_USER_NOTIF
	retServe  = retNotify | 1
	retAllow  = 0x7fff0000

	retPerm     = retErrno | 1  // EPERM
	retNoSys    = retErrno | 38 // ENOSYS
	retNoFamily = retErrno | 97 // EAFNOSUPPORT
)
