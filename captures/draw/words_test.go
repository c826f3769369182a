package draw

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestWords holds numbers and durations as people read them.
func TestWords(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		assert.Equal(t, want, grouped(n))
	}
	for d, want := range map[time.Duration]string{
		0: "0.00 ms", 1500 * time.Microsecond: "1.50 ms", 250 * time.Millisecond: "250 ms", 1500 * time.Millisecond: "1.50 s",
		119 * time.Second: "119.00 s", 200 * time.Second: "3 min 20 s", 125 * time.Minute: "2 h 5 min", 26 * 365 * 24 * time.Hour: "227,760 h 0 min",
	} {
		assert.Equal(t, want, Span(d))
	}
	assert.Equal(t, "1 octet", counted(1, "octet"))
	assert.Equal(t, "5 octets", sizes(5, 5))
	assert.Equal(t, "36-1,200 octets", sizes(36, 1200))
}

// TestColumns holds texts with letters that take two columns, or none.
func TestColumns(t *testing.T) {
	assert.Equal(t, 4, columns("日本"))
	assert.Equal(t, 1, columns("e\u0301"))
	assert.Equal(t, "日…", fit("日本語", 4))
	assert.Equal(t, "日本語", fit("日本語", 6))
	assert.Equal(t, "", fit("abc", 0))
	assert.Equal(t, "…", fit("abc", 1))
	assert.Equal(t, "a…", cut("aé", 2), "whole characters only")
	assert.Equal(t, "aé", cut("aé", 3))
	assert.Equal(t, []string{"aa bb", "cc"}, wrap("aa bb cc", 5))
	assert.Equal(t, []string{"aaaa…"}, wrap("aaaaaaaa", 5))
}
