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
type kind interface {
	// words says what is allowed, as in "must be WORDS".
	words() string
	// read reads a value: errType if it is none of the JSON's kind, another error if it is not allowed.
	read(raw json.RawMessage) (any, error)
}

// errType says that a value has another type. errValue says that it has the right one, but is none that is allowed.
var (
	errType  = errors.New("wrong type")
	errValue = errors.New("not allowed")
)

// jsonString reads a string.
func jsonString(raw json.RawMessage) (s string, err error) {
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", errType
	}
	return s, nil
}

type text struct{}

func (text) words() string { return "text" }
func (text) read(raw json.RawMessage) (any, error) {
	s, err := jsonString(raw)
	return dpsp.Text(s), err
}

type textOctets struct{}

func (textOctets) words() string { return "text" }
func (textOctets) read(raw json.RawMessage) (any, error) {
	s, err := jsonString(raw)
	return []byte(s), err
}

type hexOctets struct{}

func (hexOctets) words() string { return `octets in hexadecimal, such as "c0ffee"` }
func (hexOctets) read(raw json.RawMessage) (any, error) {
	s, err := jsonString(raw)
	if err != nil {
		return nil, err
	}
	b, err := hex.DecodeString(s)
	if err != nil {
		return nil, errValue
	}
	return b, nil
}

type base64Octets struct{}

func (base64Octets) words() string { return `octets in base64, such as "wP/u"` }
func (base64Octets) read(raw json.RawMessage) (any, error) {
	s, err := jsonString(raw)
	if err != nil {
		return nil, err
	}
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil {
		return nil, errValue
	}
	return b, nil
}

// A playerID is that of a player or group, as the events write it, or a number.
type playerID struct{}

func (playerID) words() string { return `an id such as "0x000384c9"` }
func (playerID) read(raw json.RawMessage) (any, error) {
	s, err := jsonString(raw)
	if err != nil {
		n, err := wholeNumber(raw, 0, math.MaxUint32)
		return wire.PlayerID(n), err
	}
	return parseID(s)
}

func parseID(s string) (wire.PlayerID, error) {
	digits, found := strings.CutPrefix(s, "0x")
	n, err := strconv.ParseUint(digits, 16, 32)
	if !found || err != nil {
		return 0, errValue
	}
	return wire.PlayerID(n), nil
}

type objectID struct{}

func (objectID) words() string { return `an id of an object such as "0x000384c9/5"` }
func (objectID) read(raw json.RawMessage) (any, error) {
	s, err := jsonString(raw)
	if err != nil {
		return nil, err
	}
	creator, count, found := strings.Cut(s, "/")
	id, err := parseID(creator)
	n, wrong := strconv.ParseUint(count, 10, 32)
	if !found || err != nil || wrong != nil {
		return nil, errValue
	}
	return wire.ObjectID{Creator: id, Number: uint32(n)}, nil
}

type truth struct{}

func (truth) words() string { return "true or false" }
func (truth) read(raw json.RawMessage) (any, error) {
	switch string(raw) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return nil, errType
}

// A number is a whole one.
type number struct{ least, most uint64 }

func (n number) words() string { return fmt.Sprintf("a whole number from %d to %d", n.least, n.most) }
func (n number) read(raw json.RawMessage) (any, error) {
	return wholeNumber(raw, n.least, n.most)
}

// isNumber reports whether a value is a number.
func isNumber(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
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

type seconds struct{}

func (seconds) words() string { return fmt.Sprintf("seconds, more than 0 and at most %d", maxTimeout) }
func (seconds) read(raw json.RawMessage) (any, error) {
	if !isNumber(raw) {
		return nil, errType
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || n <= 0 || n > maxTimeout {
		return nil, errValue
	}
	return max(time.Duration(n*float64(time.Second)), 1), nil
}

type fourNumbers struct{}

func (fourNumbers) words() string { return "a list of four whole numbers from 0 to 4294967295" }
func (fourNumbers) read(raw json.RawMessage) (any, error) {
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
}

func jsonList(raw json.RawMessage) (list []json.RawMessage, err error) {
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		return nil, errType
	}
	return list, nil
}

// flagWords are flags by their names, in any case, as the events write them.
type flagWords struct{ names map[string]uint32 }

func (f flagWords) words() string {
	return "a list of " + strings.Join(sortedNames(f.names), ", ")
}

func (f flagWords) read(raw json.RawMessage) (any, error) {
	list, err := jsonList(raw)
	if err != nil {
		return nil, err
	}
	var all uint64
	for _, one := range list {
		name, err := jsonString(one)
		if err != nil {
			return nil, err
		}
		bit, ok := f.names[strings.ToLower(name)]
		if !ok {
			return nil, errValue
		}
		all |= uint64(bit)
	}
	return all, nil
}

// maxID is how long the id of a command may be, in octets as it is written.
const maxID = 256

// readID checks the id of a command.
func readID(raw json.RawMessage) (json.RawMessage, error) {
	switch {
	case len(raw) == 0 || raw[0] != '"' && !isNumber(raw):
		return nil, errType
	case len(raw) > maxID:
		return nil, errValue
	}
	return bytes.Clone(raw), nil
}

// idWords says what an id can be.
var idWords = fmt.Sprintf("a string or number of at most %d octets", maxID)
