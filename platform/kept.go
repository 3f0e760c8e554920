package platform

import "sync"

// Kept is a value that is made once. Where that fails, it is made again the next time: what a program has run out of
// may be there by then. The zero Kept is ready for use.
type Kept[T any] struct {
	mu    sync.Mutex
	made  bool
	value T
}

// Get is the value, made by the function if there is none yet.
func (k *Kept[T]) Get(by func() (T, error)) (T, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.made {
		return k.value, nil
	}
	value, err := by()
	if err == nil {
		k.value, k.made = value, true
	}
	return value, err
}
