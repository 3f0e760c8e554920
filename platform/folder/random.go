package folder

// Random returns 32 hexadecimal digits that cannot be guessed.
func Random() (string, error) {
	var random [16]byte
	if err := fillRandom(random[:]); err != nil {
		return "", err
	}
	const digits = "0123456789abcdef"
	name := make([]byte, 0, 2*len(random))
	for _, c := range random {
		name = append(name, digits[c>>4], digits[c&15])
	}
	return string(name), nil
}
