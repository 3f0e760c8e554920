package program

// A Syscall is a system call with its arguments. Package sys has a constructor for each one that the confinement makes.
type Syscall struct {
	nr   uint32
	n    uint8 // arguments
	args [6]Arg
}

// Sys is the system call of a number. The arguments that are not given are 0.
func Sys(nr uintptr, args ...Arg) Syscall {
	if len(args) > 6 {
		panic("program: a system call has at most six arguments")
	}
	c := Syscall{nr: uint32(nr), n: uint8(len(args))}
	copy(c.args[:], args)
	return c
}
