//go:build invariants

package state

const invariants = true
