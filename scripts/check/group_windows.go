package main

import "os/exec"

func group(*exec.Cmd) {}

func end(cmd *exec.Cmd, _ bool) error { return cmd.Process.Kill() }
