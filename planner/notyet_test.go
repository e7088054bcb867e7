package planner_test

// notYet are the cases that are not planned yet, and why.
var notYet = map[string]string{
	"errors/cdc_match":              "MATCH_RECOGNIZE is refused as unsupported",
	"window/match_recognize_basic":  "MATCH_RECOGNIZE",
	"window/match_recognize_within": "MATCH_RECOGNIZE",
}
