package expr

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// sameStorage tells that a cast changes no value.
func sameStorage(x *Cast) bool { return castIsNoop(x.X.Type(), x.T) }

func castIsNoop(from, to types.Type) bool { return from.Equal(to) }

func castKernel(from, to types.Type, try bool) (k fn.Kernel, total bool) { return nil, false }
