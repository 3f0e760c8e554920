// Package answers finds out, before a launch looks at its paths, whether the file systems there answer: a FUSE whose
// process is stopped or has lost its server, or an NFS without its server, keeps every look waiting for ever.
//
//	looks := []answers.Look{{Path: "/home/u/notes", Below: true}}
//	err := answers.Ask(answers.Mounts(), looks, answers.Wait{Timeout: 30 * time.Second})
//
// A wait in the kernel for a request that was read is ended by nothing, not by SIGKILL. A thread of this process would
// keep the whole process, so the looks are made by a process of their own, which is left behind if they do not come
// back. That process is a runner, which holds no descriptor of this one's. Without such a mount on the way nothing is
// started.
package answers
