#include "textflag.h"

// func entry() (handler, restorer uintptr)
TEXT ·entry(SB),NOSPLIT,$0-16
	LEAQ ·handler(SB), AX
	MOVQ AX, handler+0(FP)
	LEAQ ·restorer(SB), AX
	MOVQ AX, restorer+8(FP)
	RET

// The handler: write(writeEnds[signal], &signal, 1). The kernel restores every register afterwards.
TEXT ·handler(SB),NOSPLIT|NOFRAME,$0-0
	SUBQ $16, SP
	MOVQ DI, 0(SP)
	LEAQ ·writeEnds(SB), AX
	MOVL DI, DI // the number without what may stand above it
	MOVL (AX)(DI*4), DI
	MOVQ SP, SI
	MOVL $1, DX
	MOVL $1, AX
	SYSCALL
	ADDQ $16, SP
	RET

TEXT ·restorer(SB),NOSPLIT|NOFRAME,$0-0
	MOVL $15, AX // rt_sigreturn
	SYSCALL
	INT  $3
