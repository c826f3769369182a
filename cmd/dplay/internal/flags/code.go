package flags

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"dplay4/captures"
	"dplay4/dpsp/bridge/code"
)

// ParseCode reads the code of a session, which may stand in several arguments, and behind words such as "Code:".
func ParseCode(args []string) (code.Code, error) {
	words := strings.Fields(strings.Join(args, " "))
	for len(words) > 1 && strings.HasSuffix(words[0], ":") {
		words = words[1:]
	}
	text := strings.Join(words, " ")
	with, err := code.Parse(text)
	switch {
	case err == nil:
		return with, nil
	case isAddress(text):
		return with, fmt.Errorf("%s is the address of a machine, and no code: that has letters, and who is in the session sees it. A relay's "+
			"address is for who shares: dplay bridge share --relay %[1]s", text)
	}
	return with, fmt.Errorf("the code %s: %w", captures.Printable(text), err)
}

// isAddress reports whether a text is an address, with or without a port.
func isAddress(s string) bool {
	_, err := netip.ParseAddr(s)
	_, withPort := netip.ParseAddrPort(s)
	return err == nil || withPort == nil
}

// A group of a code has so many letters, and of those that name no machine there are so many: machines are called vm01-prod-west.
const (
	groupLetters = 4
	codeGroups   = 3
	smallGroups  = 4 // in small letters, with no space between
)

// codeLetters matches what may stand in a code.
var codeLetters = regexp.MustCompile(`^[0-9A-Za-z]+$`)

// IsCode reports whether what should name a host is the code of a bridged session, or what is left of one.
func IsCode(s string) bool {
	if _, err := code.Parse(s); err == nil {
		return true
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("- '\"", r) })
	if len(words) > 1 && strings.HasSuffix(words[0], ":") {
		words = words[1:]
	}
	letters, groups := 0, 0
	for _, w := range words {
		if !codeLetters.MatchString(w) {
			return false
		}
		letters += len(w)
		if len(w) == groupLetters {
			groups++
		}
	}
	// A label of DNS has 63 letters, and nobody writes names in capitals.
	const label, fewest = 63, 30
	capitals, fewestGroups := s == strings.ToUpper(s), codeGroups
	if !capitals && !strings.Contains(s, " ") {
		fewestGroups = smallGroups
	}
	return groups >= fewestGroups && groups >= len(words)-1 && (capitals || strings.ContainsAny(s, "0123456789")) ||
		letters >= fewest && (capitals || len(s) > label)
}
