package platform

import (
	"errors"
	"testing"
)

func TestKept(t *testing.T) {
	var k Kept[int]
	calls := 0
	for i, want := range []int{0, 2, 2} { // the first call fails, and is not kept
		got, err := k.Get(func() (int, error) {
			if calls++; calls == 1 {
				return 0, errors.New("not now")
			}
			return calls, nil
		})
		if got != want || (err != nil) != (i == 0) {
			t.Errorf("%d: %d, %v", i, got, err)
		}
	}
	if calls != 2 {
		t.Error(calls, "calls")
	}
}
