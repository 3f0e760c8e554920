package policy

import (
	"math"
	"strconv"
	"testing"
	"time"
)

func TestAmounts(t *testing.T) {
	for _, test := range []struct {
		at   number
		text string
		want int64
		out  string // "" if as text; texts that are no amount are in testdata/invalid
	}{
		{new(Quantity), "1", 1, ""},
		{new(Quantity), "1023", 1023, ""},
		{new(Quantity), "1024", 1024, "1K"},
		{new(Quantity), "1K", 1 << 10, ""},
		{new(Quantity), "1Ki", 1 << 10, "1K"},
		{new(Quantity), "512M", 512 << 20, ""},
		{new(Quantity), "2Gi", 2 << 30, "2G"},
		{new(Quantity), "1.5G", 1536 << 20, "1536M"},
		{new(Quantity), "0.000000001T", 1099, "1099"},
		{new(Quantity), "4T", 4 << 40, ""},
		{new(Quantity), "4096T", 4096 << 40, ""},
		{new(Quantity), "9223372036854775807", math.MaxInt64, ""},
		{new(Quantity), "8388607.999999999T", 9223372036854774708, "9223372036854774708"},
		{new(Quantity), "unlimited", Unlimited, ""},
		{new(CPU), "1m", 1, ""},
		{new(CPU), "500m", 500, ""},
		{new(CPU), "2", 2000, ""},
		{new(CPU), "2000m", 2000, "2"},
		{new(CPU), "0.5", 500, "500m"},
		{new(CPU), "1.250", 1250, "1250m"},
		{new(CPU), "1048576", maxCPU, ""},
		{new(CPU), "unlimited", Unlimited, ""},
		{new(Count), "64", 64, ""},
		{new(Count), "9223372036854775807", math.MaxInt64, ""},
		{new(Count), "unlimited", Unlimited, ""},
		{new(Duration), "1ns", 1, ""},
		{new(Duration), "500ms", int64(500 * time.Millisecond), ""},
		{new(Duration), "90s", int64(90 * time.Second), "1m30s"},
		{new(Duration), "10m", int64(10 * time.Minute), ""},
		{new(Duration), "100h", int64(100 * time.Hour), ""},
		{new(Duration), "1h30m", int64(90 * time.Minute), ""},
		{new(Duration), "1h0m1s", int64(time.Hour + time.Second), ""},
		{new(Duration), "unlimited", Unlimited, ""},
	} {
		if err := test.at.UnmarshalText([]byte(test.text)); err != nil {
			t.Errorf("%T %s: %v", test.at, test.text, err)
			continue
		}
		got, limited := value(test.at)
		if got != test.want || limited != (test.want > 0) {
			t.Errorf("%T %s: got %d, %t, want %d", test.at, test.text, got, limited, test.want)
		}
		out := test.out
		if out == "" {
			out = test.text
		}
		if s := test.at.String(); s != out {
			t.Errorf("%T %s: written as %s, want %s", test.at, test.text, s, out)
		}
		if err := test.at.UnmarshalText([]byte(out)); err != nil {
			t.Errorf("%T %s: %v", test.at, out, err)
		} else if again, _ := value(test.at); again != test.want {
			t.Errorf("%T %s: read again as %d, want %d", test.at, test.text, again, test.want)
		}
	}
}

func value(n number) (int64, bool) {
	switch n := n.(type) {
	case *Quantity:
		return n.Value()
	case *CPU:
		return n.Value()
	case *Count:
		return n.Value()
	case *Duration:
		d, ok := n.Value()
		return int64(d), ok
	}
	panic("no amount")
}

// Texts that are refused leave the value as it was.
func TestAmountsRefused(t *testing.T) {
	for _, test := range []struct {
		at    number
		texts []string
	}{
		{new(Quantity), []string{"", "0", "-1", "+1", "1 M", "1m", "1k", "1KB", "1Kib", "K", "1.", ".1K", "1.0000000001G", "1e3", "1_000",
			"8388608T", "18014398509481985K", "9223372036854775808", "8388607.9999999999T", "0.0000001K", "١", "UNLIMITED", "unlimited "}},
		{new(CPU), []string{"", "0", "0m", "-1", "+1", "1M", "0.0001", "1.5m", "0.5m", "1048577", "1e1", "1,5", "m", "."}},
		{new(Count), []string{"", "0", "-1", "+1", "1.0", "1e3", "0x10", "1_000", "9223372036854775808", "64K"}},
		{new(Duration), []string{"", "0", "0s", "-1s", "5", "1 s", "1d", "s", "300000h0m0.5x", "9999999h"}},
	} {
		for _, text := range test.texts {
			if err := test.at.UnmarshalText([]byte(text)); err == nil {
				t.Errorf("%T %q is read as %s", test.at, text, test.at)
			}
			if test.at.String() != "" {
				t.Fatalf("%T %q leaves %s", test.at, text, test.at)
			}
		}
	}
}

func TestWords(t *testing.T) {
	order := []Confinement{None, ConfinementLimits, Reduced, Full}
	for i, c := range order {
		for j, least := range order {
			if c.Holds(least) != (i >= j) {
				t.Errorf("%s holds %s: %t", c, least, !(i >= j))
			}
		}
	}
	if Confinement("").Holds(None) || Confinement("fulll").Holds("") {
		t.Error("what is no confinement holds something")
	}
	for _, b := range []Bool{Yes, No} {
		var got Bool
		if err := got.UnmarshalText([]byte(b.String())); err != nil || got != b {
			t.Errorf("%s is read as %s, %v", b, got, err)
		}
		if yes, named := b.Value(); yes != (b == Yes) || !named {
			t.Errorf("%s is %v, %v", b, yes, named)
		}
	}
	for _, s := range []string{"", "yes", "True", "1"} {
		if err := new(Bool).UnmarshalText([]byte(s)); err == nil {
			t.Errorf("%q is a boolean", s)
		}
	}
	for _, test := range []struct {
		umask Umask
		mask  int
		named bool
	}{{"", 0, false}, {"0000", 0, true}, {"0077", 0o77, true}, {"777", 0o777, true}} {
		if mask, named := test.umask.Value(); mask != test.mask || named != test.named {
			t.Errorf("umask %q is %#o, %t", test.umask, mask, named)
		}
	}
}

// A policy of a megabyte takes no longer than its length: 80,000 names compared with each other took half a minute.
func TestManyNames(t *testing.T) {
	const n = 80000
	p := Policy{}
	var host []string
	for i := range n {
		name := "V" + strconv.Itoa(i)
		p.Env = append(p.Env, Variable{name, ""})
		p.EnvVars = append(p.EnvVars, "H"+name)
		host = append(host, "H"+name+"=", "D"+name+"=")
	}
	for _, system := range []string{"linux", "windows"} {
		began := time.Now()
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		env, dropped := p.environ(system, host)
		if len(env) != 2*n || len(dropped) != n {
			t.Errorf("%s: %d variables, %d dropped", system, len(env), len(dropped))
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: %v", system, took)
		}
	}
}
