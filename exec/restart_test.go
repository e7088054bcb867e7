package exec_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec"
)

// outcomes runs a strategy over failures at the given seconds; "-" is a
// refusal.
func outcomes(s exec.RestartStrategy, seconds ...int) string {
	begin := time.Unix(1000000, 0)
	var got []string
	for _, at := range seconds {
		d, ok := s.Next(begin.Add(time.Duration(at) * time.Second))
		if !ok {
			got = append(got, "-")
			continue
		}
		got = append(got, d.String())
	}
	return strings.Join(got, " ")
}

func TestRestartStrategies(t *testing.T) {
	parse := func(options map[string]string) exec.RestartStrategy {
		t.Helper()
		s, err := exec.ParseRestart(func(k string) (string, bool) { v, ok := options[k]; return v, ok }, parseSeconds)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const p = "restart-strategy."
	for _, c := range []struct {
		options map[string]string
		at      []int
		want    string
	}{
		{map[string]string{p + "type": "none"}, []int{0}, "-"},
		{map[string]string{p + "type": "fixed-delay", p + "fixed-delay.attempts": "2", p + "fixed-delay.delay": "3s"}, []int{0, 9, 99}, "3s 3s -"},
		{map[string]string{p + "type": "failure-rate", p + "failure-rate.max-failures-per-interval": "2"}, []int{0, 10, 70, 71, 72}, "1s 1s 1s 1s -"},
		{map[string]string{p + "exponential-delay.jitter-factor": "0", p + "exponential-delay.backoff-multiplier": "2", p + "exponential-delay.max-backoff": "5s"},
			[]int{0, 2, 5, 10, 20, 4000}, "1s 2s 4s 5s 5s 1s"},
	} {
		if got := outcomes(parse(c.options), c.at...); got != c.want {
			t.Errorf("%v: %s, expected %s", c.options, got, c.want)
		}
	}
	if _, err := exec.ParseRestart(func(string) (string, bool) { return "maybe", true }, parseSeconds); err == nil {
		t.Error("strategy maybe is accepted")
	}
}

func parseSeconds(s string) (time.Duration, error) {
	s = strings.NewReplacer(" min", "m", " s", "s", " h", "h").Replace(s)
	return time.ParseDuration(s)
}
