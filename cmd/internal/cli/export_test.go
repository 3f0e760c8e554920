package cli

// Habits and the methods below are for tests that need the flags of a launch.
var Habits = habits

func (h *habit) Words() string     { return h.words }
func (h *habit) Answers() []string { return h.answers }

func (f *Flags) Answer(word string) string { return answer(f.set, word) }
func (f *Flags) Has(name string) bool      { return f.set.Lookup(name) != nil }
func (f *Flags) HasAll(text string) bool   { return haveAll(f.set, text) }

func FlagsIn(text string) []string { return flagsIn(text) }
