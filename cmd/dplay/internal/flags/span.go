package flags

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// A Span is a duration that may have days, such as 7d or 1d12h; zero if none was given.
type Span struct {
	time.Duration
	typed string
}

// String returns the span as it was typed.
func (s *Span) String() string { return s.typed }

// Set takes a duration.
func (s *Span) Set(text string) error {
	var length time.Duration
	rest := text
	if days, after, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil || strings.HasPrefix(after, "-") {
			return errSpan
		}
		length, rest = time.Duration(n)*24*time.Hour, after
	}
	if rest != "" || text == "" {
		more, err := time.ParseDuration(rest)
		if err != nil {
			return errSpan
		}
		length += more
	}
	s.Duration, s.typed = length, text
	return nil
}

var errSpan = errors.New("it takes a time with its unit, such as 90s, 24h or 7d")

// Type returns what help shows for the value.
func (s *Span) Type() string { return "TIME" }
