package rows

func quantity(v int64) (uint64, bool) { return uint64(v), v > 0 }
func count(v int64) (uint64, bool)    { return uint64(v), v > 0 }
