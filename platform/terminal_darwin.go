package platform

// sameTerminal cannot tell which terminal /dev/tty is: any two count as one.
func sameTerminal(int, int) bool { return true }
