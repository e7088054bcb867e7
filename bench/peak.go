package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"sync"
	"time"
)

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// watchPeak polls the greatest resident size of a process until the returned
// function is called, which gives it in MB; 0 where the system does not say.
// (What wait reports for a child includes its parent's size at the fork.)
func watchPeak(pid int) func() int64 {
	done := make(chan struct{})
	var peak int64
	var wait sync.WaitGroup
	wait.Add(1)
	go func() {
		defer wait.Done()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
				if m := highWater.FindSubmatch(b); m != nil {
					kb, _ := strconv.ParseInt(string(m[1]), 10, 64)
					peak = max(peak, kb/1024)
				}
			}
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	}()
	return func() int64 {
		close(done)
		wait.Wait()
		return peak
	}
}
