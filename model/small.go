package main

import "strings"

// small tells whether a scenario has less than some 300,000 states and says
// much: no rule may be missing, and every mutant must be seen.
func small(name string) bool {
	switch {
	case strings.Contains(name, "NOT seen by"), strings.HasPrefix(name, "residual"):
		return false
	case strings.HasPrefix(name, "mutant "):
		return true
	}
	return smallOnes[name]
}

var smallOnes = map[string]bool{
	"fix/no fault": true,
	"fix/2 checkpoints at once, crash abort delay":                                true,
	"fix/2 writers, crash abort delay":                                            true,
	"fix/time-outs with log, 3 records":                                           true,
	"fix/no marker":                                                               true,
	"fix/lost directory":                                                          true,
	"fix/zombie on a copy":                                                        true,
	"fix/zombie on a copy, delayed EndTxn":                                        true,
	"fix/zombie with log and time-out":                                            true,
	"fix/zombie on an older copy":                                                 true,
	"fix/endless input, aborted checkpoints":                                      true,
	"fix/delayed own-epoch InitProducerId, parked":                                true,
	"fix/two start at once, nothing silent":                                       true,
	"fix/zombie, empty directory":                                                 true,
	"fix/stale copy, log, delay":                                                  true,
	"without subtract":                                                            true,
	"without pool restart, endless input":                                         true,
	"without final-needs-no-id":                                                   true,
	"without lost-kept":                                                           true,
	"without halves: zombie":                                                      true,
	"without owner check after InitProducerId: zombie":                            true,
	"without take-all: rescale and zombie":                                        true,
	"without park: delayed own-epoch InitProducerId":                              true,
	"no marker: a stale copy is not seen":                                         true,
	"own/late request for the owner id":                                           true,
	"own/zombie, late request for the owner id, nothing silent":                   true,
	"own/zombie, late request for the owner id, log, nothing silent":              true,
	"own/zombie, nonces collide, nothing silent":                                  true,
	"without nonce: late request for the owner id":                                true,
	"hand/time-outs":                                                              true,
	"hand/2 writers":                                                              true,
	"without expected marker of what is settled by hand":                          true,
	"topic/made again twice, continue":                                            true,
	"without the topic's generation":                                              true,
	"without comparison after EndTxn: topic made again in between":                true,
	"without the marker of a Lost that was committed: topic made again, continue": true,
	"var/commit first, compare last: stale copy, log, delay":                      true,
}
