// Package doctor turns the results of trial launches into checks: a machine's protections, the missing ones, and
// the remedies. Package launcher makes the launches. No check rests on a version number or on a file alone.
package doctor
