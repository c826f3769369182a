package main

import (
	"fmt"
	"slices"
	"strings"

	"dplay4/wire"
)

// A sessionFlags is the value of --flags: names with commas between.
type sessionFlags struct{ wire.SessionFlags }

// sessionFlagNames gives the names of all flags, in lower case, by their bits.
func sessionFlagNames() []string {
	var names []string
	for bit := range 32 {
		if n := wire.SessionFlags(1 << bit).String(); !strings.HasPrefix(n, "0x") {
			names = append(names, strings.ToLower(n))
		} else {
			names = append(names, "")
		}
	}
	return names
}

// String gives the names.
func (f *sessionFlags) String() string {
	if f.SessionFlags == 0 {
		return ""
	}
	return strings.ToLower(strings.ReplaceAll(f.SessionFlags.String(), "|", ","))
}

// Set takes names; repeated flags add up.
func (f *sessionFlags) Set(s string) error {
	names := sessionFlagNames()
	for _, word := range strings.Split(s, ",") {
		word = strings.ToLower(strings.TrimSpace(word))
		bit := slices.Index(names, word)
		if word == "" || bit < 0 {
			known := slices.DeleteFunc(names, func(n string) bool { return n == "" })
			return fmt.Errorf("%q is no session flag; they are %s", word, strings.Join(known, ", "))
		}
		f.SessionFlags |= 1 << bit
	}
	return nil
}

// Type gives what help shows for the value.
func (f *sessionFlags) Type() string { return "NAME,..." }

// sessionWords says what the flags mean to people, by their bits.
var sessionWords = []struct {
	flag wire.SessionFlags
	word string
}{
	{wire.SessionJoinDisabled, "closed"},
	{wire.SessionNewPlayersDisabled, "no new players"},
	{wire.SessionPasswordRequired, "password"},
	{wire.SessionPrivate, "private"},
	{wire.SessionSecureServer, "secure"},
	{wire.SessionMigrateHost, "outlives its host"},
	{wire.SessionKeepAlive, "drops the silent"},
	{wire.SessionMulticastServer, "host relays groups"},
	{wire.SessionClientServer, "client-server"},
	{wire.SessionDirectPlayProtocol, "reliable protocol"},
	{wire.SessionNoPreserveOrder, "any order"},
	{wire.SessionOptimizeLatency, "low latency"},
	{wire.SessionAllowVoiceRetro, "voice"},
	{wire.SessionNoMessageID, "no message ids"},
	{wire.SessionNoDataMessages, "no data messages"},
	{wire.SessionNoSessionDescMessages, "no news of changes"},
}

// flagsInWords says what a session's flags mean, those first that keep people out; bits without a name stay numbers. The
// flag for a password is left out: it has a column of its own. "full" is no flag, but what people look for here.
func flagsInWords(d *wire.SessionDesc) string {
	var words []string
	if d.MaxPlayers > 0 && d.CurrentPlayers >= d.MaxPlayers {
		words = append(words, "full")
	}
	left := d.Flags
	for _, w := range sessionWords {
		if d.Flags&w.flag != 0 && w.flag != wire.SessionPasswordRequired {
			words = append(words, w.word)
		}
		left &^= w.flag
	}
	if left != 0 {
		words = append(words, fmt.Sprintf("0x%08x", uint32(left)))
	}
	return strings.Join(words, ", ")
}
