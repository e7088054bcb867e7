package session

// The functions that every session knows.
import (
	_ "github.com/sqlstream/sqlstream/exec/fn/agg"
	_ "github.com/sqlstream/sqlstream/exec/fn/scalar"
)
