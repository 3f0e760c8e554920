#include "textflag.h"

// func entry() (handler, restorer uintptr)
TEXT ·entry(SB),NOSPLIT,$0-16
	MOVD $·handler(SB), R0
	MOVD R0, handler+0(FP)
	MOVD $0, R0
	MOVD R0, restorer+8(FP) // the vdso's
	RET

// The handler: write(writeEnds[signal], &signal, 1). The kernel restores every register afterwards.
TEXT ·handler(SB),NOSPLIT|NOFRAME,$0-0
	SUB  $16, RSP
	MOVD R0, 8(RSP)
	MOVD $·writeEnds(SB), R3
	MOVWU R0, R0 // the number without what may stand above it
	ADD  R0<<2, R3, R3
	MOVW (R3), R0
	ADD  $8, RSP, R1
	MOVD $1, R2
	MOVD $64, R8
	SVC
	ADD  $16, RSP
	RET
