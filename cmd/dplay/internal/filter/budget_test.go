package filter

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
)

// aMessage returns a game message with "octets" so many times.
func aMessage(t *testing.T, times int) *captures.Record {
	t.Helper()
	var got *captures.Record
	recorded(t, captures.Options{}, udp(ann, bob, message(t, &wire.Ping{From: 1})),
		udp(ann, bob, append(make([]byte, 8), strings.Repeat("octets ", times)...))).each(t, func(r *captures.Record) {
		if got == nil || len(r.Raw) > len(got.Raw) {
			kept := *r
			got = &kept
		}
	})
	require.NotNil(t, got)
	return got
}

// TestBudget tries expressions that would take any amount of memory or time: each is ended, with a reason.
func TestBudget(t *testing.T) {
	r := aMessage(t, 1000)
	const (
		most = 200 << 20 // octets that one evaluation may ask for in all, which is more than it ever holds
		work = "it takes more than 100000 steps, or 10 MB of texts and lists, for one message"
		many = "memory budget exceeded"
		deep = "lists within lists that are more than 100 deep"
		wild = "a regular expression is too large"
	)
	for _, c := range []struct{ text, want string }{
		{`len(repeat(repeat("a",10000),100000))>0`, work},
		{`len(repeat("a", 9000000000000000000)) > 0`, work},
		{`len(repeat(command, 2000000)) > 0`, work},
		{`len(reduce(1..40, #acc + #acc, "aaaa")) > 0`, work},
		{`len(reduce(1..40, #acc + #acc, command)) > 0`, work},
		{`len(reduce(1..40, concat(#acc, #acc), [1])) > 0`, work},
		{`len(toJSON(reduce(1..60, [#acc, #acc], 1))) > 0`, work},
		{`string(reduce(1..60, [#acc, #acc], 1)) != ""`, work},
		{`len(flatten(reduce(1..60, [#acc, #acc], [1]))) > 0`, work},
		{`reduce(1..60, [#acc, #acc], n) == reduce(1..60, [#acc, #acc], n)`, work},
		{`n in reduce(1..60, [#acc, #acc], n)`, work},
		{`len(uniq(reduce(1..60, [#acc, #acc], 1))) > 0`, work},
		{`len(toJSON(reduce(1..10000, [#acc], 1))) > 0`, deep},
		{`reduce(1..10000, [#acc], n) == [1]`, deep},
		{`len(flatten(reduce(1..10000, [#acc], [1]))) > 0`, deep},
		{`len(map(1..1000000000, #)) > 0`, many},
		{`all(1..1000000000, # > 0)`, many},
		{`any(1..1000, any(1..1000, any(1..1000, # < 0)))`, work},
		{`let l = 1..100000; any(l, any(l, any(l, # < 0)))`, work},
		{`let l = 1..100000; count(l, count(l, # < 0) == 3) > 0`, work},
		{`let l = 1..100000; any(l, any([], true) or any([], true))`, work},
		{`len(map(1..5000, map(1..5000, #))) > 0`, work},
		{`len(map(1..200000, ({"a": #, "b": #}))) > 0`, work},
		{`let l = map(1..5000, repeat("a", 50) + string(#)); len(join(l, repeat("b", 9000))) > 0`, work},
		{`len(join(map(1..20000, repeat("a", 1000)))) > 0`, work},
		{`len(join(map(1..90000, payload))) > 0`, work},
		{`let s = repeat("a", 100000); len(replace(s, "a", s)) > 0`, work},
		{`let s = repeat("a", 100000); len(replace(s, "", s)) > 0`, work},
		{`trim(repeat("ä", 400000), repeat("ö", 400000) + "ä") == ""`, work},
		{`payload in 1..90000`, work},
		{`has(map(1..5000, payload), text(payload))`, work},
		{doubled("[@, @]", 22, `message.id[a:1] == 5`), work},
		{`len(::repeat(command, 2000000)) > 0`, work},
		{`len(split(repeat("a", 5000000), "")) > 0`, work},
		{`let s = repeat("aaaaaaaaa", 1000000); s matches "(a?){900}b"`, work},
		{`command matches repeat("a{1000}", 200)`, wild},
		{`let s = repeat("a", 1000000); any(1..90000, s contains "b")`, work},
		{`let s = repeat("a", 1000000); any(1..90000, s matches "b+c")`, work},
		{`let s = repeat("a", 1000000); any(1..90000, len(s) < #)`, work},
		{`let s = repeat("a", 1000000); any(1..90000, upper(s) == "")`, work},
		{`let s = repeat("a", 1000000); any(1..90000, ({(s): 1}).b == 1)`, work},
		{`let s = repeat("a", 1000000); any(1..90000, message[s] == 1)`, work},
		{`any(1..90000, text(payload) == "")`, work},
		{`any(1..90000, payload[0:2] == "x")`, work},
		{`any(1..90000, bytes("ff") in payload)`, work},
		{`any(1..90000, player("Bob"))`, work},
		{`any(1..90000, len(string(message)) == 1)`, work},
		{`any(1..90000, timezone("Europe/Berlin") == nil)`, work},
		{`len(sort(map(1..90000, 90000 - #))) > 0`, work},
		{`len(sortBy(1..90000, repeat("a", 10000) + string(#))) > 0`, work},
		{`len(groupBy(1..90000, repeat("a", 10000) + string(#))) > 0`, work},
		{`len(uniq(1..90000)) > 0`, work},
		{`let s = repeat("a", 1000000); len(groupBy(1..90000, s)) > 1`, work},
		{`let s = repeat("a", 1000000); let z = s + "a"; len(sortBy(1..90000, # % 2 == 0 ? s : z)) == 0`, work},
		{`any(1..90000, ` + strings.Repeat("n > 0 and ", 500) + `false)`, work},
		{`any(1..90000, ` + strings.Repeat("n + ", 1000) + `0 < 0)`, work},
		{`len(fromJSON("[" + repeat("{},", 1000000) + "{}]")) > 0`, work},
		{`len(toBase64(repeat("a", 6000000))) > 0`, work},
		{`"a" matches "(" + repeat("a{1000}", 1000) + ")"`, wild},
		{`command matches repeat("a", 20000)`, wild},
		{`any(1..90000, command matches string(#) + "a{900}")`, work},
		{`any(1..900, command matches "a{" + string(#) + "}")`, work},
		{doubled("[@, @]", 22, `a == b`), work},
		{doubled("[@, @]", 22, `a != b`), work},
		{doubled("[@, @]", 22, `a in [b]`), work},
		{doubled("[@, @]", 22, `a in [command, b]`), work},
		{doubled(`{"x": @, "y": @}`, 22, `a == b`), work},
		{doubled("[@]", 120, `a == b`), deep},
	} {
		f, err := New(c.text, time.UTC)
		if !assert.NoError(t, err, c.text) {
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		assert.False(t, f.Matches(r), "%.200s", c.text)
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(most), "%.200s", c.text)
		assert.Contains(t, f.Failures(), c.want, "%.200s", c.text)
	}
	for text, want := range map[string]string{
		strings.Repeat("(", 9000):                                 "the expression has 9000 octets, more than the 8192 that one may have",
		`command matches "` + strings.Repeat("a{1000}", 20) + `"`: "a regular expression is too large",
	} {
		_, err := New(text, time.UTC)
		assert.ErrorContains(t, err, want, "%.40s", text)
	}
}

// TestBudgetArguments holds that many arguments are paid before they are converted.
func TestBudgetArguments(t *testing.T) {
	r := aMessage(t, 8500)
	f, err := New(`max(`+strings.Repeat("payload,", 900)+`"") == "x"`, time.UTC)
	require.NoError(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	assert.False(t, f.Matches(r))
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(60<<20))
	assert.Contains(t, f.Failures(), "it takes more than 100000 steps")
}

// TestBudgetCompile holds that the longest sum is checked in little memory.
func TestBudgetCompile(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := New(strings.Repeat("n+", 1000)+"0 == time", time.UTC)
	require.ErrorContains(t, err, "mismatched types int and string")
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100<<20))
}

// TestAllocations holds that a text that every message has is compared with constants without an allocation.
func TestAllocations(t *testing.T) {
	r := aMessage(t, 10)
	for text, most := range map[string]float64{`via == "x"`: 0, `via in ["x", "y"]`: 0, `n > 5`: 0, `message.id_from == 5`: 5} {
		f, err := New(text, time.UTC)
		require.NoError(t, err)
		assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { f.Matches(r) }), most, text)
	}
}

// TestBudgetClasses holds that a class of characters costs the search in its table, not the size of it.
func TestBudgetClasses(t *testing.T) {
	r := aMessage(t, 8500)
	for _, text := range []string{`text(payload) matches "\\pL{3,}"`, `text(payload) matches "[^\\pL\\s]{2}|octets"`,
		`text(payload) matches "(?i)OCTETS"`} {
		f, err := New(text, time.UTC)
		require.NoError(t, err)
		assert.True(t, f.Matches(r), text)
		assert.Empty(t, f.Failures(), text)
	}
}

// doubled returns a condition with two variables a and b, which both are the command within so many lists. The place of
// the list below is @.
func doubled(list string, levels int, condition string) string {
	var text strings.Builder
	for _, name := range []string{"a", "b"} {
		before := "command"
		for i := range levels {
			now := fmt.Sprint(name, i)
			fmt.Fprintf(&text, "let %s=%s;", now, strings.ReplaceAll(list, "@", before))
			before = now
		}
		fmt.Fprintf(&text, "let %s=%s; ", name, before)
	}
	return text.String() + condition
}

// TestBudgetLeaves holds that counting changes no result.
func TestBudgetLeaves(t *testing.T) {
	r := aMessage(t, 1000)
	for _, text := range []string{
		`repeat("ab", 3) == "ababab" and repeat(transport, 0) == ""`,
		`replace("aXbX", "X", "yy") == "ayybyy" and replace("aXbX", "X", "y", 1) == "aybX" and replace(transport, "u", "t") == "tdp"`,
		`join(["a", "b"]) == "ab" and join(["a", transport], ", ") == "a, udp" and join(split("a,b", ","), "") == "ab"`,
		`transport + "x" == "udpx" and "a" + "b" == "ab" and n + 1 > n and 1 + 2 == 3`,
		`transport matches "^u" and transport matches "^" + "u" and not (message.chat_message matches "a")`,
		`join([message.chat_message, "a", payload[0:2]], "-") == "-a-6f" and join([]) == ""`,
		`reduce(1..4, #acc + #, 0) == 10 and reduce(1..3, #acc + string(#), "") == "123"`,
		`map(1..3, # * 2) == [2, 4, 6] and filter(1..4, # > 2) == [3, 4] and sum(1..3) == 6 and sum(1..3, # * 2) == 12`,
		`sort([3, 1, 2]) == [1, 2, 3] and sortBy(["b", "a"], #) == ["a", "b"] and reverse([1, 2]) == [2, 1]`,
		`len(groupBy(1..10, # % 3)) == 3 and uniq([1, 1, 2]) == [1, 2] and concat([1], [2]) == [1, 2] and flatten([[1], [2]]) == [1, 2]`,
		`toJSON([1]) == "[\n  1\n]" and fromJSON("[1]") == [1] and string(12) == "12" and split("a b", " ") == ["a", "b"]`,
		`any(1..3, any(1..3, # == 3)) and all([], false) and none(1..3, # > 3) and count(1..5, # > 2) == 3 and find(1..5, # > 2) == 3`,
		`text(payload) contains "octets" and any(0..20, payload[#:#+2] == "6f") and len(bytes(payload)) > 1000`,
		`let l = map(findings, #); len(l) == len(findings) and keys({"a": 1}) == ["a"] and values({"a": 1}) == [1]`,
		`median([1, 2, 3]) == 2 and max(1..3) == 3 and first(1..3) == 1 and last(1..3) == 3 and take(1..3, 2) == [1, 2]`,
		`date("2026-01-02") < date("2026-01-03") and timezone("UTC") != nil and lower("A") == "a" and trim(" a ") == "a"`,
		`len(filter(1..50000, # % 2 == 0)) == 25000`,
		`findIndex(frames, # < 0) != 0 and not (find(1..3, # > 3) == 3) and not (findLast(1..3, # > 3) > 3)`,
		`let x = find(frames, # < 0); not (x > 3) and x != 3 and (x + 1 == 3 ? false : true)`,
		`let a = [command, n]; let b = [a, a]; b == [a, a] and a in b and b != a`,
	} {
		f, err := New(text, time.UTC)
		if assert.NoError(t, err, text) {
			assert.True(t, f.Matches(r), "%s: %s", text, f.Failures())
			assert.Empty(t, f.Failures(), text)
		}
	}
}
