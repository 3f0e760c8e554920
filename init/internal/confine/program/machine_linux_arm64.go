package program

const machine = 183 // EM_AARCH64
