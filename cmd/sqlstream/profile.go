package main

import (
	"os"
	"runtime/pprof"
)

// startProfile writes a CPU profile until the returned function is called.
func startProfile(path string) (stop func() error, err error) {
	if path == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, external("CPU profile %s: %w", path, unwrapPath(err))
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}
