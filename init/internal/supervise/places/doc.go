// Package places holds the launcher and its doctor against the places where they have to run: containers, chroots, other
// sandboxes, machines that forbid one thing. There is nothing in it but tests.
package places
