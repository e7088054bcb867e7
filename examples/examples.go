// Package examples holds the job files and data that the demo runs; they are
// in the binary, so that the demo needs nothing else.
package examples

import "embed"

// Files are sql/*.sql and the flights of data/.
//
//go:embed sql/*.sql data/flights-2013-01.jsonl.gz data/airlines.csv
var Files embed.FS
