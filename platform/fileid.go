package platform

// A FileID tells one file of the machine from all others.
type FileID struct {
	Dev uint64 // of its file system, major<<32 | minor: statx(2) returns both apart
	Ino uint64 // st_ino
}
