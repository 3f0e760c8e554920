package notice

// NotGranted is a path that a profile does not grant. source is how the path was handed over: an argument, a variable.
// The flag before the path grants it.
func NotGranted(source, path, why, flag string) string {
	return line(name(source, 40), " ", name(path, 40), " is not granted: it ", name(why, 60), " (", flag, " ",
		typed(path, 40), ")")
}

// NotGrantedIn is a path that a profile does not grant, and that stands in no message. source is what holds the path.
func NotGrantedIn(source, why, flag string) string {
	return line("the path in ", name(source, pathWidth), " is not granted: it ", name(why, 60), " (", flag, " PATH)")
}

// NotAllowed is the host of a source, which a profile does not allow. The source's value may be a password.
func NotAllowed(source, why string) string {
	return line("the host of ", name(source, pathWidth), " is not allowed: ", name(why, pathWidth),
		" (--allow-domain HOST:PORT)")
}

// NotSet is a variable that the server needs by its profile.
func NotSet(variable, profile string) string {
	return line(name(variable, pathWidth), " is not set, which ", name(profile, pathWidth),
		" needs: set it in \"env\" of the client's entry")
}
