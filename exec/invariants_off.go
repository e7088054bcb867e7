//go:build !invariants

package exec

const invariants = false
