package scalar

// hourLoops read a part of the clock from timestamps in µs without a call a
// row; divisions by constants are multiplications.
var hourLoops = map[string]func(out, us []int64, rows []int32){"HOUR": hours, "MINUTE": minutes, "SECOND": seconds}

func hours(out, us []int64, rows []int32) {
	for _, i := range rows {
		x := us[i] % dayMicros
		if x < 0 {
			x += dayMicros
		}
		out[i] = x / 3_600_000_000
	}
}

func minutes(out, us []int64, rows []int32) {
	for _, i := range rows {
		x := us[i] % 3_600_000_000
		if x < 0 {
			x += 3_600_000_000
		}
		out[i] = x / 60_000_000
	}
}

func seconds(out, us []int64, rows []int32) {
	for _, i := range rows {
		x := us[i] % 60_000_000
		if x < 0 {
			x += 60_000_000
		}
		out[i] = x / 1_000_000
	}
}
