#include "textflag.h"

// func entry() *byte
TEXT ·entry(SB),NOSPLIT,$0-8
	MOVD $·runner(SB), R0
	MOVD R0, ret+0(FP)
	RET

// The runner: see runner_linux_amd64.s. R19 is the Op, R20 the last result.
TEXT ·runner(SB),NOSPLIT|NOFRAME,$0-0
	MOVD $0x10000000, R0 // Base
	MOVD $0x800000, R1   // Size
	MOVD $3, R2          // PROT_READ|PROT_WRITE
	MOVD $0x100001, R3   // MAP_SHARED|MAP_FIXED_NOREPLACE
	MOVD $3, R4          // the descriptor that Start gives it
	MOVD $0, R5
	MOVD $222, R8        // mmap
	SVC
	MOVD $0x10000000, R1
	CMP  R1, R0
	BNE  broken
	ADD  $64, R0, R19
	MOVD $0, R20

op:
	MOVBU 1(R19), R9     // which arguments are addresses of their values
	MOVD 16(R19), R0
	TBZ  $0, R9, arg1
	MOVD (R0), R0
arg1:
	MOVD 24(R19), R1
	TBZ  $1, R9, arg2
	MOVD (R1), R1
arg2:
	MOVD 32(R19), R2
	TBZ  $2, R9, arg3
	MOVD (R2), R2
arg3:
	MOVD 40(R19), R3
	TBZ  $3, R9, arg4
	MOVD (R3), R3
arg4:
	MOVD 48(R19), R4
	TBZ  $4, R9, arg5
	MOVD (R4), R4
arg5:
	MOVD 56(R19), R5
	TBZ  $5, R9, call
	MOVD (R5), R5
call:
	MOVBU 0(R19), R10
	CBZ  R10, broken     // nothing: the program's end
	CMP  $2, R10
	BEQ  last            // test the last result again
	BHI  word
	MOVWU 4(R19), R8
	SVC
result:
	MOVD R0, R20
	MOVBU 3(R19), R10
	CBZ  R10, store
	CBZ  R0, test        // the child of a clone stores nothing
store:
	MOVD R0, 64(R19)
	MOVD 80(R19), R1
	CBZ  R1, test
	MOVW R0, (R1)
	JMP  test
word:
	CMP  $3, R10
	BEQ  result          // load
	CMP  $4, R10
	BNE  broken
	NEG  R0, R0          // negate
	JMP  result
last:
	MOVD R20, R0
test:
	MOVBU 2(R19), R10
	CBZ  R10, next       // any result
	CMP  $1, R10         // success
	BNE  equal
	CMN  $4095, R0
	BLO  next
	JMP  other
equal:
	MOVD 8(R19), R1
	MOVBU 1(R19), R9
	TBZ  $6, R9, compare
	MOVD (R1), R1
compare:
	CMP  R1, R0
	BEQ  next
other:
	MOVD 72(R19), R19
	CBNZ R19, op
broken:
	MOVD $99, R0
	MOVD $94, R8         // exit_group
	SVC
	BRK
next:
	ADD  $88, R19
	JMP  op
	WORD $0x55526e64 // endMark
	WORD $0x52454e4e
