package commands

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp"
	"dplay4/wire"
)

// A kind is what the value of a key can be.
type kind struct {
	words string // what is allowed, as in "must be WORDS"
	// read reads a value. The code is WrongType for a value of another JSON type, BadValue for one that is not allowed, and "" otherwise.
	read func(raw json.RawMessage) (any, Code)
}

// jsonOf reads a string (T is string) or a truth value (T is bool).
func jsonOf[T any](raw json.RawMessage) (T, Code) {
	var v any
	json.Unmarshal(raw, &v) //nolint:errcheck // v is nil then
	value, ok := v.(T)
	if !ok {
		return value, WrongType
	}
	return value, ""
}

// inString returns the kind of values that are written as a JSON string, which parse reads.
func inString[T any](words string, parse func(string) (T, error)) kind {
	return kind{words, func(raw json.RawMessage) (any, Code) {
		s, code := jsonOf[string](raw)
		v, err := parse(s)
		if code == "" && err != nil {
			code = BadValue
		}
		return v, code
	}}
}

var (
	text         = inString("text", func(s string) (dpsp.Text, error) { return dpsp.Text(s), nil })
	textOctets   = inString("text", func(s string) ([]byte, error) { return []byte(s), nil })
	hexOctets    = inString(`octets in hexadecimal, such as "c0ffee"`, hex.DecodeString)
	base64Octets = inString(`octets in base64, such as "wP/u"`, base64.StdEncoding.Strict().DecodeString)
	writtenID    = inString("", parseID)
	objectID     = inString(`an id of an object such as "0x000384c9/5"`, parseObjectID)
	truth        = kind{"true or false", func(raw json.RawMessage) (any, Code) { return jsonOf[bool](raw) }}
)

// playerID is the id of a player or group, as the events write it, or a number.
var playerID = kind{`an id such as "0x000384c9"`, func(raw json.RawMessage) (any, Code) {
	if isNumber(raw) {
		n, code := wholeNumber(raw, 0, math.MaxUint32)
		return wire.PlayerID(n), code
	}
	return writtenID.read(raw)
}}

func parseID(s string) (wire.PlayerID, error) {
	digits, found := strings.CutPrefix(s, "0x")
	n, err := strconv.ParseUint(digits, 16, 32)
	if !found {
		err = strconv.ErrSyntax
	}
	return wire.PlayerID(n), err
}

func parseObjectID(s string) (wire.ObjectID, error) {
	creator, count, _ := strings.Cut(s, "/")
	id, err := parseID(creator)
	n, wrong := strconv.ParseUint(count, 10, 32)
	return wire.ObjectID{Creator: id, Number: uint32(n)}, errors.Join(err, wrong)
}

// number returns the kind of whole numbers in a range.
func number(least, most uint64) kind {
	return kind{fmt.Sprintf("a whole number from %d to %d", least, most), func(raw json.RawMessage) (any, Code) {
		return wholeNumber(raw, least, most)
	}}
}

// isNumber reports whether a value is a number.
func isNumber(raw json.RawMessage) bool {
	return bytes.ContainsAny(raw[:min(len(raw), 1)], "-0123456789")
}

func wholeNumber(raw json.RawMessage, least, most uint64) (uint64, Code) {
	n, err := strconv.ParseUint(string(raw), 10, 64)
	switch {
	case !isNumber(raw):
		return 0, WrongType
	case err != nil, n < least, n > most:
		return 0, BadValue
	}
	return n, ""
}

// maxTimeout is the longest time-out, in seconds.
const maxTimeout = 86400

var seconds = kind{fmt.Sprintf("seconds, more than 0 and at most %d", maxTimeout), func(raw json.RawMessage) (any, Code) {
	n, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case !isNumber(raw):
		return nil, WrongType
	case err != nil, n <= 0, n > maxTimeout:
		return nil, BadValue
	}
	return max(time.Duration(n*float64(time.Second)), 1), ""
}}

var fourNumbers = kind{"a list of four whole numbers from 0 to 4294967295", func(raw json.RawMessage) (any, Code) {
	list, code := jsonList(raw)
	var all [4]uint32
	if code != "" || len(list) != len(all) {
		return nil, cmp.Or(code, BadValue)
	}
	for i, one := range list {
		n, wrong := wholeNumber(one, 0, math.MaxUint32)
		all[i], code = uint32(n), cmp.Or(code, wrong)
	}
	return all, code
}}

func jsonList(raw json.RawMessage) (list []json.RawMessage, code Code) {
	if json.Unmarshal(raw, &list) != nil || list == nil { // nil: null
		return nil, WrongType
	}
	return list, ""
}

// flagWords returns the kind of lists of those flags in allowed that have a name: by their names, in any case, as the events write them.
func flagWords[F cli.FlagWord](allowed F) kind {
	names, flags := cli.FlagNames(allowed)
	return kind{"a list of " + strings.Join(names, ", "), func(raw json.RawMessage) (any, Code) {
		list, code := jsonList(raw)
		var all F
		for _, one := range list {
			name, code := jsonOf[string](one)
			flag, ok := flags[strings.ToLower(name)]
			switch {
			case code != "":
				return nil, code
			case !ok:
				return nil, BadValue
			}
			all |= flag
		}
		return all, code
	}}
}

// maxID is how long the id of a command may be, in octets as it is written.
const maxID = 256

// commandID is the id that the answer repeats: a json.RawMessage.
var commandID = kind{fmt.Sprintf("a string or number of at most %d octets", maxID), func(raw json.RawMessage) (any, Code) {
	switch {
	case !isNumber(raw) && !bytes.HasPrefix(raw, []byte(`"`)):
		return nil, WrongType
	case len(raw) > maxID:
		return nil, BadValue
	}
	return raw, ""
}}
