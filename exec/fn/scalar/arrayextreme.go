package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// extremeKernel finds the greatest (1) or least (−1) element.
func extremeKernel(sign int) func() fn.Kernel {
	return func() fn.Kernel {
		return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, i := range rows {
				l, best := row{args, int(i)}.list(0), -1
				for j := l.off; j < l.off+l.n; j++ {
					if !l.v.IsNull(j) && (best < 0 || compareAt(l.v, j, l.v, best)*sign > 0) {
						best = j
					}
				}
				if best < 0 {
					out.SetNull(int(i))
					continue
				}
				setFrom(out, i, l.v, best)
			}
			return nil
		}
	}
}
