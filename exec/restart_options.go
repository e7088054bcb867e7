package exec

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// RestartKeys are the options that ParseRestart reads, with Flink's defaults.
var RestartKeys = [][2]string{
	{"restart-strategy.type", "exponential-delay"},
	{"restart-strategy.fixed-delay.attempts", "1"},
	{"restart-strategy.fixed-delay.delay", "1 s"},
	{"restart-strategy.failure-rate.max-failures-per-interval", "1"},
	{"restart-strategy.failure-rate.failure-rate-interval", "1 min"},
	{"restart-strategy.failure-rate.delay", "1 s"},
	{"restart-strategy.exponential-delay.initial-backoff", "1 s"},
	{"restart-strategy.exponential-delay.max-backoff", "1 min"},
	{"restart-strategy.exponential-delay.backoff-multiplier", "1.5"},
	{"restart-strategy.exponential-delay.reset-backoff-threshold", "1 h"},
	{"restart-strategy.exponential-delay.jitter-factor", "0.1"},
	{"restart-strategy.exponential-delay.attempts-before-reset-backoff", "0"}, // 0: any number
}

// ParseRestart makes the strategy that the options restart-strategy.* ask
// for. get returns what was set for a key; duration reads "10 s".
func ParseRestart(get func(key string) (string, bool), duration func(string) (time.Duration, error)) (RestartStrategy, error) {
	o := &restartOptions{get: get, duration: duration}
	s := o.strategy()
	return s, o.err
}

// restartOptions keeps the first error.
type restartOptions struct {
	get      func(string) (string, bool)
	duration func(string) (time.Duration, error)
	err      error
}

func (o *restartOptions) strategy() RestartStrategy {
	switch kind := o.text("type"); strings.ToLower(kind) {
	case "none", "off", "disable":
		return NoRestart{}
	case "fixed-delay", "fixeddelay":
		return &FixedDelay{Attempts: o.integer("fixed-delay.attempts"), Delay: o.time("fixed-delay.delay")}
	case "failure-rate", "failurerate":
		return &FailureRate{
			MaxFailures: o.integer("failure-rate.max-failures-per-interval"),
			Interval:    o.time("failure-rate.failure-rate-interval"), Delay: o.time("failure-rate.delay"),
		}
	case "exponential-delay", "exponentialdelay":
		return o.exponential()
	default:
		o.fail("type", kind, "expected none, fixed-delay, failure-rate or exponential-delay")
		return nil
	}
}

func (o *restartOptions) exponential() RestartStrategy {
	const p = "exponential-delay."
	e := &ExponentialDelay{
		Initial: o.time(p + "initial-backoff"), Max: o.time(p + "max-backoff"), Multiplier: o.number(p + "backoff-multiplier"),
		ResetAfter: o.time(p + "reset-backoff-threshold"), Jitter: o.number(p + "jitter-factor"),
		Attempts: o.integer(p + "attempts-before-reset-backoff"),
	}
	if o.err == nil && e.Max < e.Initial {
		o.fail(p+"max-backoff", e.Max.String(), "it is below the initial back-off")
	}
	if o.err == nil && e.Multiplier < 1 {
		o.fail(p+"backoff-multiplier", fmt.Sprint(e.Multiplier), "expected 1 or more")
	}
	return e
}

func (o *restartOptions) text(key string) string {
	key = "restart-strategy." + key
	if v, ok := o.get(key); ok {
		return v
	}
	for _, k := range RestartKeys {
		if k[0] == key {
			return k[1]
		}
	}
	panic("exec: unknown option " + key)
}

func (o *restartOptions) fail(key, text, why string) {
	if o.err == nil {
		o.err = fmt.Errorf("'restart-strategy.%s' = '%s': %s", key, text, why)
	}
}

func (o *restartOptions) integer(key string) int {
	n, err := strconv.Atoi(o.text(key))
	if err != nil || n < 0 {
		o.fail(key, o.text(key), "expected a number, 0 or more")
	}
	return n
}

func (o *restartOptions) number(key string) float64 {
	f, err := strconv.ParseFloat(o.text(key), 64)
	if err != nil || f < 0 {
		o.fail(key, o.text(key), "expected a number, 0 or more")
	}
	return f
}

func (o *restartOptions) time(key string) time.Duration {
	d, err := o.duration(o.text(key))
	if err != nil {
		o.fail(key, o.text(key), err.Error())
	}
	return d
}
