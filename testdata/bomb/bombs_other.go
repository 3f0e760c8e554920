//go:build !linux

package main

func bombs() map[string]func(string, string) (int, error) { return nil }

func errnoName(error) string { return "" }
