package filter

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"

	"dplay4/captures/show"
	"dplay4/wire"
)

// octets are a field's. An expression sees the hexadecimal digits that they have in NDJSON; they alias the message.
type octets []byte

func (o octets) String() string { return hex.EncodeToString(o) }

// searchable are what bytes() gives: octets as such, whose length is their number.
type searchable []byte

func (s searchable) String() string { return hex.EncodeToString(s) }

// raw returns the octets of a value, which can be digits in text.
func raw(v any) ([]byte, bool) {
	switch v := v.(type) {
	case octets:
		return v, true
	case searchable:
		return v, true
	case string:
		b, err := parseOctets(v)
		return b, err == nil
	}
	return nil, false
}

// separators may stand between the digits of octets.
var separators = strings.NewReplacer(" ", "", ":", "", "-", "")

// parseOctets reads octets that somebody wrote.
func parseOctets(text string) ([]byte, error) {
	b, err := hex.DecodeString(separators.Replace(text))
	if err != nil {
		return nil, fmt.Errorf(`bytes() takes hexadecimal digits, two for each octet, such as "de ad", not %q`, text)
	}
	return b, nil
}

// bytesOf is bytes().
func bytesOf(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		b, err := parseOctets(v)
		return searchable(b), err
	}
	if b, ok := raw(v); ok {
		return searchable(b), nil
	}
	return nil, fmt.Errorf("bytes() takes octets or their digits, not %T", v)
}

// textOf is text(). Zeros end most texts of games: those at the end are left out.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case *word:
		return v.names
	}
	b, _ := raw(v)
	return show.Text(bytes.TrimRight(b, "\x00"))
}

// payload returns the game's own octets, nil for a message that is not the game's.
func (c *filterContext) payload() any {
	if c.rec.Err != nil {
		return nil
	}
	var p []byte
	switch m := c.rec.Envelope.Message.(type) {
	case *wire.PlayerMessage:
		p = m.Payload
	case *wire.PlayerWrapper:
		p = m.Player.Payload
	case *wire.HeaderedPlayerMessage:
		p = m.Player.Payload
	default:
		return nil
	}
	return present(p)
}

// present returns octets that are there, if only none: nil would be no field.
func present(p []byte) octets {
	if p == nil {
		return octets{}
	}
	return p
}

// contains is what an operator of text, such as "contains", means for values whose type is not known: octets are searched as
// such if bytes() has either of them, and else as their digits.
func contains(text func(s, part string) bool, octets func(b, part []byte) bool) operator {
	return func(a, b any) any {
		_, found := a.(searchable)
		if _, ok := b.(searchable); ok || found {
			x, isRaw := raw(a)
			y, ok := raw(b)
			return isRaw && ok && octets(x, y)
		}
		s, isText := asText(a).(string)
		part, ok := asText(b).(string)
		return isText && ok && text(s, part)
	}
}

// equalOctets reports whether octets and another value are the same.
func equalOctets(a, b any) bool {
	x, isRaw := raw(a)
	y, ok := raw(b)
	return isRaw && ok && bytes.Equal(x, y)
}

// isOctets reports whether a value has octets.
func isOctets(v any) bool {
	switch v.(type) {
	case octets, searchable:
		return true
	}
	return false
}

// readable returns octets as their digits, other values as they are.
func readable(v any) any {
	if o, ok := v.(octets); ok {
		return o.String()
	}
	return v
}
