package places

import "path/filepath"

const homeVariable = "HOME"

func below(home string) string { return filepath.Join(home, "Library", "Application Support") }
