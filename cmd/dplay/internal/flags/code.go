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
	text := strings.Join(withoutLabels(strings.Fields(strings.Join(args, " "))), " ")
	with, err := code.Parse(text)
	switch {
	case err == nil:
		return with, nil
	case isAddress(text):
		return with, fmt.Errorf("%s is the address of a machine, and no code: that has letters, and who is in the session sees it. A relay's address is for who shares: dplay bridge share --relay %[1]s", text)
	}
	return with, fmt.Errorf("the code %s: %w", captures.Printable(text), err)
}

// withoutLabels returns words without those before the last one that end in a colon and stand at the beginning.
func withoutLabels(words []string) []string {
	for len(words) > 1 && strings.HasSuffix(words[0], ":") {
		words = words[1:]
	}
	return words
}

// isAddress reports whether a text is an address, with or without a port.
func isAddress(s string) bool {
	_, err := netip.ParseAddr(s)
	_, withPort := netip.ParseAddrPort(s)
	return err == nil || withPort == nil
}

// Groups of a code have four letters. That many of them are a code; machines are called vm01-prod-west.
const (
	codeGroups  = 3
	smallGroups = 4 // in small letters, with no space between
)

var (
	codeWords = regexp.MustCompile(`^[0-9A-Za-z ]+$`)
	groupWord = regexp.MustCompile(`\b[0-9A-Za-z]{4}\b`)
)

// IsCode reports whether what should name a host is the code of a bridged session, or what is left of one.
func IsCode(s string) bool {
	if _, err := code.Parse(s); err == nil {
		return true
	}
	words := withoutLabels(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("- '\"", r) }))
	text := strings.Join(words, " ")
	if !codeWords.MatchString(text) {
		return false
	}
	letters, groups := len(strings.Join(words, "")), len(groupWord.FindAllString(text, -1))
	// A label of DNS has 63 letters, and nobody writes names in capitals.
	const label, fewest = 63, 30
	capitals, fewestGroups := s == strings.ToUpper(s), codeGroups
	if !capitals && !strings.Contains(s, " ") {
		fewestGroups = smallGroups
	}
	return groups >= max(fewestGroups, len(words)-1) && (capitals || strings.ContainsAny(s, "0123456789")) ||
		letters >= fewest && (capitals || len(s) > label)
}
