package commands

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// A kind is what the value of a key can be.
type kind struct {
	words string // what is allowed, as in "must be WORDS"
	// read reads a value. It returns errType for a value of another JSON type, and errValue for one that is not allowed.
	read func(raw json.RawMessage) (any, error)
}

var (
	errType  = errors.New("wrong type")
	errValue = errors.New("not allowed")
)

// jsonOf reads a string (T is string) or a truth value (T is bool).
func jsonOf[T any](raw json.RawMessage) (value T, err error) {
	var v any
	json.Unmarshal(raw, &v) //nolint:errcheck // v is nil then
	value, ok := v.(T)
	if !ok {
		err = errType
	}
	return value, err
}

// inString returns the kind of values that are written as a JSON string, which parse reads.
func inString[T any](words string, parse func(string) (T, error)) kind {
	return kind{words, func(raw json.RawMessage) (any, error) {
		s, err := jsonOf[string](raw)
		if err != nil {
			return nil, err
		}
		v, err := parse(s)
		if err != nil {
			return nil, errValue
		}
		return v, nil
	}}
}

var (
	text         = inString("text", func(s string) (dpsp.Text, error) { return dpsp.Text(s), nil })
	textOctets   = inString("text", func(s string) ([]byte, error) { return []byte(s), nil })
	hexOctets    = inString(`octets in hexadecimal, such as "c0ffee"`, hex.DecodeString)
	base64Octets = inString(`octets in base64, such as "wP/u"`, base64.StdEncoding.Strict().DecodeString)
	writtenID    = inString("", parseID)
	objectID     = inString(`an id of an object such as "0x000384c9/5"`, parseObjectID)
	truth        = kind{"true or false", func(raw json.RawMessage) (any, error) { return jsonOf[bool](raw) }}
)

// playerID is the id of a player or group, as the events write it, or a number.
var playerID = kind{`an id such as "0x000384c9"`, func(raw json.RawMessage) (any, error) {
	if isNumber(raw) {
		n, err := wholeNumber(raw, 0, math.MaxUint32)
		return wire.PlayerID(n), err
	}
	return writtenID.read(raw)
}}

func parseID(s string) (wire.PlayerID, error) {
	digits, found := strings.CutPrefix(s, "0x")
	n, err := strconv.ParseUint(digits, 16, 32)
	if !found {
		err = errValue
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
	return kind{fmt.Sprintf("a whole number from %d to %d", least, most), func(raw json.RawMessage) (any, error) {
		return wholeNumber(raw, least, most)
	}}
}

// isNumber reports whether a value is a number.
func isNumber(raw json.RawMessage) bool {
	return bytes.ContainsAny(raw[:min(len(raw), 1)], "-0123456789")
}

func wholeNumber(raw json.RawMessage, least, most uint64) (uint64, error) {
	if !isNumber(raw) {
		return 0, errType
	}
	n, err := strconv.ParseUint(string(raw), 10, 64)
	if err != nil || n < least || n > most {
		return 0, errValue
	}
	return n, nil
}

// maxTimeout is the longest time-out, in seconds.
const maxTimeout = 86400

var seconds = kind{fmt.Sprintf("seconds, more than 0 and at most %d", maxTimeout), func(raw json.RawMessage) (any, error) {
	if !isNumber(raw) {
		return nil, errType
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || n <= 0 || n > maxTimeout {
		return nil, errValue
	}
	return max(time.Duration(n*float64(time.Second)), 1), nil
}}

var fourNumbers = kind{"a list of four whole numbers from 0 to 4294967295", func(raw json.RawMessage) (any, error) {
	list, err := jsonList(raw)
	if err != nil {
		return nil, err
	}
	var all [4]uint32
	if len(list) != len(all) {
		return nil, errValue
	}
	for i, one := range list {
		n, err := wholeNumber(one, 0, math.MaxUint32)
		if err != nil {
			return nil, err
		}
		all[i] = uint32(n)
	}
	return all, nil
}}

func jsonList(raw json.RawMessage) (list []json.RawMessage, err error) {
	if json.Unmarshal(raw, &list) != nil || list == nil { // nil: null
		return nil, errType
	}
	return list, nil
}

// flagWords returns the kind of lists of flags by their names, in any case, as the events write them.
func flagWords(names map[string]uint32) kind {
	return kind{"a list of " + strings.Join(sortedNames(names), ", "), func(raw json.RawMessage) (any, error) {
		list, err := jsonList(raw)
		if err != nil {
			return nil, err
		}
		var all uint64
		for _, one := range list {
			name, err := jsonOf[string](one)
			if err != nil {
				return nil, err
			}
			bit, ok := names[strings.ToLower(name)]
			if !ok {
				return nil, errValue
			}
			all |= uint64(bit)
		}
		return all, nil
	}}
}

// maxID is how long the id of a command may be, in octets as it is written.
const maxID = 256

// commandID is the id that the answer repeats: a json.RawMessage.
var commandID = kind{fmt.Sprintf("a string or number of at most %d octets", maxID), func(raw json.RawMessage) (any, error) {
	switch {
	case !isNumber(raw) && !bytes.HasPrefix(raw, []byte(`"`)):
		return nil, errType
	case len(raw) > maxID:
		return nil, errValue
	}
	return raw, nil
}}
