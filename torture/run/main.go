// Command run tortures jobs at random for some minutes and prints what
// happened. Exit code 5: a record was lost or duplicated; 1: a job did not
// come to its end.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/sqlstream/sqlstream/torture"
)

func main() {
	torture.MaybeChild()
	minutes := flag.Float64("minutes", 2, "how long")
	seed := flag.Uint64("seed", rand.Uint64N(1_000_000), "seed of the schedule")
	flag.Parse()
	fmt.Printf("seed %d\n", *seed)
	begin := time.Now()
	s := &torture.Schedule{Seed: *seed, Log: func(f string, a ...any) { fmt.Printf(f+"\n", a...) }}
	err := s.Run(begin.Add(time.Duration(*minutes * float64(time.Minute))))
	fmt.Printf("\n%v in %v\n", s.Report, time.Since(begin).Round(time.Second))
	switch {
	case s.Report.Bad():
		os.Exit(5)
	case err != nil:
		fmt.Println(err)
		os.Exit(1)
	}
}
