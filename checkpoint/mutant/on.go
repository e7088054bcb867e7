//go:build mutants

package mutant

import "os"

// Env chooses the mutant of a process.
const Env = "SQLSTREAM_MUTANT"

var chosen = Mutant(os.Getenv(Env))

// Is tells whether the rule is broken.
func Is(m Mutant) bool { return m == chosen }
