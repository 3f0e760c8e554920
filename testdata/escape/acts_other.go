//go:build !linux

package main

func acts() map[string]func([]string) (string, error) { return nil }

func errnoName(error) string { return "" }
