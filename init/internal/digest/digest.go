// Package digest is SHA-256 (FIPS 180-4) and nothing else.
//
//	sum := digest.Hex(document)
//
// The shim names the policy it enforced by its hash. crypto/sha256 would bring the whole of Go's FIPS module with it,
// twelve packages to initialise in every start, for the one kilobyte that is hashed here. This is plain and slow, nothing
// secret passes through it, and a test compares it with crypto/sha256.
package digest

import "math/bits"

// round are the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
var round = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}

// Hex is the SHA-256 of data as 64 lower-case digits.
func Hex(data []byte) string {
	const digits = "0123456789abcdef"
	// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
	h := [8]uint32{
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	}
	n := len(data)
	for ; len(data) >= 64; data = data[64:] {
		block(&h, data)
	}
	var last [128]byte
	size := 64
	if copy(last[:], data) >= 56 {
		size = 128
	}
	last[len(data)] = 0x80
	for i := range 8 {
		last[size-1-i] = byte(uint64(n) * 8 >> (8 * i))
	}
	block(&h, last[:64])
	if size == 128 {
		block(&h, last[64:])
	}
	var out [64]byte
	for i := range out {
		out[i] = digits[h[i/8]>>(28-4*(i%8))&15]
	}
	return string(out[:])
}

// block takes 64 bytes in.
func block(h *[8]uint32, p []byte) {
	var w [64]uint32
	for i := range 16 {
		w[i] = uint32(p[4*i])<<24 | uint32(p[4*i+1])<<16 | uint32(p[4*i+2])<<8 | uint32(p[4*i+3])
	}
	right := func(v uint32, n int) uint32 { return bits.RotateLeft32(v, -n) }
	for i := 16; i < 64; i++ {
		a, b := w[i-15], w[i-2]
		w[i] = w[i-16] + (right(a, 7) ^ right(a, 18) ^ a>>3) + w[i-7] + (right(b, 17) ^ right(b, 19) ^ b>>10)
	}
	s := *h
	for i := range 64 {
		a, e := s[0], s[4]
		t1 := s[7] + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + (e&s[5] ^ ^e&s[6]) + round[i] + w[i]
		t2 := (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + (a&s[1] ^ a&s[2] ^ s[1]&s[2])
		s = [8]uint32{t1 + t2, a, s[1], s[2], s[3] + t1, e, s[5], s[6]}
	}
	for i := range h {
		h[i] += s[i]
	}
}
