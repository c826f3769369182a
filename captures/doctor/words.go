package doctor

import (
	"strconv"
	"time"
)

func itoa(n int) string { return strconv.Itoa(n) }

// pick returns yes or no.
func pick[T any](is bool, yes, no T) T {
	if is {
		return yes
	}
	return no
}

// quote writes a name so that it cannot upset a terminal.
func quote(s string) string { return strconv.Quote(s) }

// clip returns a name, or the beginning of one that nobody would give.
func clip(s string) string {
	const most = 64
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// named returns a session's name with the word, "the session" where it has none.
func named(s string) string {
	return pick(s == "", "the session", "the session "+quote(clip(s)))
}

// times says how often.
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return itoa(n) + " times"
}

// seconds returns a time as people say it.
func seconds(d time.Duration) string {
	if d < 0 {
		d = 0
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) + " s"
}

// millis returns a short time as people say it.
func millis(d time.Duration) string {
	return strconv.FormatFloat(float64(max(d, 0).Microseconds())/1000, 'f', 3, 64) + " ms"
}
