package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
)

// A row is one line of the table and what is wrong with it, if anything.
type row struct {
	what, unconfined, confined, layer string
	wrong                             error
}

// compare judges each try. The layer that is named answers with that errno and is proved; where none is, the row is
// wrong, for then it is unknown what stopped the server.
func compare(tries []try, unconfined, confined []outcome, report *launcher.Report) []row {
	var rows []row
	for i, t := range tries {
		r := row{what: t.what, unconfined: t.say(unconfined[i]), confined: t.say(confined[i]), layer: "-"}
		switch {
		case !unconfined[i].reached:
			r.wrong = errors.New("did not go through unconfined, so its denial proves nothing")
		case t.granted && !confined[i].reached:
			r.wrong = errors.New("is granted and did not go through confined")
		case t.granted:
			r.layer = "(granted)"
		case confined[i].reached:
			r.wrong = errors.New("went through confined")
		default:
			layer, known := t.layers[confined[i].result.Errno]
			if known && report.Layer(layer).State == order.Proved {
				r.layer = string(layer)
			} else {
				r.wrong = fmt.Errorf("was stopped by nothing that the report proved (%s)", confined[i].result.Detail)
			}
		}
		rows = append(rows, r)
	}
	return rows
}

func (t try) say(o outcome) string {
	switch {
	case o.reached:
		return t.yes
	case o.result.Errno != "":
		words := o.result.Detail[strings.LastIndexByte(o.result.Detail, ':')+1:]
		return o.result.Errno + "," + words
	case o.result.OK:
		return t.instead
	}
	return "not seen"
}

func verdict(rows []row) error {
	var all []error
	for _, r := range rows {
		if r.wrong != nil {
			all = append(all, fmt.Errorf("%s: %w", r.what, r.wrong))
		}
	}
	return errors.Join(all...)
}
