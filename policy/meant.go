package policy

import (
	"strconv"
	"strings"
)

// This file: what was probably meant by a number in the manner of other programs, for messages alone.

// meantQuantity is a suggestion for "2g", "512mb" or "2 GiB", which are no quantities; "" for other texts.
func meantQuantity(s string) string {
	text := strings.ToUpper(strings.ReplaceAll(s, " ", ""))
	text = strings.TrimSuffix(text, "B")
	if strings.HasSuffix(text, "I") {
		text = text[:len(text)-1] + "i"
	}
	var q Quantity
	if text == s || text == "" || strings.Trim(text[:1], "0123456789") != "" || q.UnmarshalText([]byte(text)) != nil {
		return ""
	}
	return didYouMean(text)
}

// meantDuration is a suggestion for "30sec" or "5 min"; "" for other texts.
func meantDuration(s string) string {
	number := strings.TrimRight(s, " abcdefghijklmnopqrstuvwxyz")
	unit := strings.TrimSpace(s[len(number):])
	short := ""
	switch strings.TrimSuffix(unit, "s") {
	case "sec", "second", "":
		short = "s"
	case "min", "minute", "m": // "ms" is a unit by itself
		short = "m"
	case "hour", "hr", "h":
		short = "h"
	case "day", "d":
		n, err := strconv.ParseUint(number, 10, 12)
		if err != nil {
			return ""
		}
		number, short = strconv.FormatUint(24*n, 10), "h"
	}
	var d Duration
	if short == "" || number+short == s || d.UnmarshalText([]byte(number+short)) != nil {
		return ""
	}
	return didYouMean(number + short)
}

func didYouMean(text string) string { return " (did you mean " + text + "?)" }
