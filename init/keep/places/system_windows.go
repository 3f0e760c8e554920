package places

const homeVariable = "LOCALAPPDATA"

func below(home string) string { return home }
