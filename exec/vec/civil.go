package vec

import "time"

// Day numbers count from 1970-01-01; micros are µs since then. Years 1 to
// 9999.

// CivilOf is the Gregorian date of a day number.
func CivilOf(days int64) (year int64, month, day int) { return civil(days) }

// DaysOf is the day number of a date; month and day must exist.
func DaysOf(year int64, month, day int) int64 {
	if month <= 2 {
		year--
	}
	era := floorDiv(year, 400)
	yoe := year - era*400
	doy := int64((153*((month+9)%12)+2)/5 + day - 1)
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}

// MonthLength is the number of days of a month.
func MonthLength(year int64, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// FloorDiv divides rounding down.
func FloorDiv(a, b int64) int64 { return floorDiv(a, b) }

// LocalOf is the wall clock of an instant, both in µs; a nil zone is UTC.
func LocalOf(us int64, zone *time.Location) int64 {
	if zone == nil || zone == time.UTC {
		return us
	}
	return us + offsetAt(us, zone)
}

// InstantOf is the instant of a wall clock, both in µs. Of an hour that
// occurs twice it is the first one; an hour that is left out lies behind the
// gap, as in Java.
func InstantOf(us int64, zone *time.Location) int64 {
	if zone == nil || zone == time.UTC {
		return us
	}
	before, after := offsetAt(us-microsPerDay, zone), offsetAt(us+microsPerDay, zone)
	if before == after || offsetAt(us-before, zone) == before {
		return us - before
	}
	if offsetAt(us-after, zone) == after {
		return us - after
	}
	return us - before
}

func offsetAt(us int64, zone *time.Location) int64 {
	_, seconds := time.UnixMicro(us).In(zone).Zone()
	return int64(seconds) * 1_000_000
}
