// Package places tries the launcher and its doctor where they have to run: in containers, chroots and other
// sandboxes, and on machines that forbid one thing. docs/deployment.md says what each comes to. It has tests only.
package places
