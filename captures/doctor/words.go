package doctor

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"dplay4/wire"
)

func itoa[N ~int | ~uint8 | ~uint16 | ~uint32](n N) string { return strconv.Itoa(int(n)) }

// pick returns yes or no.
func pick[T any](is bool, yes, no T) T {
	if is {
		return yes
	}
	return no
}

// flag returns 1 for true.
func flag(set bool) int { return pick(set, 1, 0) }

// A saying is a text for a case.
type saying struct {
	is   bool
	text string
}

// said returns the texts of the cases that are so.
func said(list []saying) []string {
	return mapped(where(list, func(s saying) bool { return s.is }), func(s saying) string { return s.text })
}

// quote writes a name so that it cannot upset a terminal.
func quote(s string) string { return strconv.Quote(s) }

// clip returns a name, or the beginning of a name that nobody would choose.
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

// count returns a number with its noun.
func count(n int, noun string) string {
	return itoa(n) + " " + noun + pick(n == 1, "", "s")
}

// of returns a number and the greatest one that is possible.
func of(n, most uint32) string { return itoa(n) + " of " + itoa(most) }

// isFull reports whether a session has as many players as it takes; most is 0 if there is no limit.
func isFull(n, most uint32) bool { return most > 0 && n >= most }

// times returns a number of times in words.
func times(n int) string {
	return cmp.Or(map[int]string{1: "once", 2: "twice"}[n], itoa(n)+" times")
}

// seconds returns a duration as people write it, 0 if it is negative.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(max(d, 0).Seconds(), 'f', 3, 64) + " s"
}

// millis returns a short duration as people write it.
func millis(d time.Duration) string {
	return strconv.FormatFloat(float64(max(d, 0).Microseconds())/1000, 'f', 3, 64) + " ms"
}

// A namer returns the name of the game that an application GUID belongs to, "" if it is not known. A nil one has no names.
type namer func(application wire.GUID) string

// name returns the name of a game.
func (n namer) name(app wire.GUID) string {
	if n == nil {
		return ""
	}
	return n(app)
}

// title returns the name of a game, where it is known, and its GUID.
func (n namer) title(app wire.GUID) string {
	return strings.TrimPrefix(n.name(app)+" "+app.String(), " ")
}

// unrelated returns the case of two games with known names of which neither begins with the other; "" for others. An edition of a game has
// the game's name at its beginning.
func (n namer) unrelated(wanted, hosted wire.GUID) (section string, fill []string) {
	a, b := n.name(wanted), n.name(hosted)
	if strings.HasPrefix(a, b) || strings.HasPrefix(b, a) { // or one of them is not known
		return "", nil
	}
	return "unrelated", []string{"{wanted}", a, "{hosted}", b}
}
