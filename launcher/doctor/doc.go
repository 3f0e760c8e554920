// Package doctor turns what trial launches came to into checks: what a machine gives, what it lacks, and what to do
// about it. Package launcher makes the launches. No check rests on a version number or on a file alone.
package doctor
