package main

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock/windowshost"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// windowsHost hosts at a place in a manner; the joiner is to be bound to another address of it.
func windowsHost(t *testing.T, m windowshost.Manner) (at place, h *windowshost.Host) {
	t.Helper()
	at = newPlace(t)
	h, err := windowshost.Open(netip.MustParseAddr(at.address), mustParse(at.app), m)
	require.NoError(t, err)
	t.Cleanup(h.Close)
	return at, h
}

// TestJoinWindowsHost joins hosts that talk as Windows does and as others were seen to, with the command.
func TestJoinWindowsHost(t *testing.T) {
	t.Parallel()
	for name, m := range windowshost.Manners(testkit.Addr(t)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, h := windowsHost(t, m)
			j := start(t, []string{"join", at.address, "--app", at.app, "--bind", at.beside(), "--session", "windows",
				"--player", "Ann", "--send-hex", "01 02", "--events", "ndjson"})
			assert.Equal(t, "Windows", j.event("session_opened")["session"].(map[string]any)["session_name"])
			j.event("player_created", "name", "Ann", "local", true)
			// What it heard, it says again: "heard: " and the octets.
			j.event("message", "from_name", "Müller", "payload", "68656172643a200102")
			require.Equal(t, exitOK, j.interrupt(), j.stderr())
			assert.Positive(t, h.Heard(wire.CmdAddForwardRequest))
		})
	}
}

// TestJoinNonsense joins hosts whose answers make no sense: the command says so in the decoder's words, soon, and its events
// tell what was dropped although there is no session.
func TestJoinNonsense(t *testing.T) {
	t.Parallel()
	http := []byte("HTTP/1.1 400 Bad Request\r\n\r\n")
	endless := make([]byte, 114) // a name without its end
	copy(endless, []byte{114, 0, 0xB0, 0xFA, 2, 0, 8, 0xFC})
	copy(endless[20:], []byte{'p', 'l', 'a', 'y', 1, 0, 14, 0, 80})
	endless[20+88], endless[20+92] = 92, 'x'
	for name, c := range map[string]struct {
		said   wire.Command
		octets []byte
		want   string
	}{
		"search HTTP": {wire.CmdEnumSessionsReply, http, `answers what makes no sense: `},
		"endless":     {wire.CmdEnumSessionsReply, endless, "ENUMSESSIONSREPLY.SessionName at octet 92: no terminating zero"},
		"reply HTTP": {wire.CmdRequestPlayerReply, http,
			`the host's answer makes no sense: SPHEADER.size at octet 0: points outside the message (283720); it begins with "HTTP/1.1 ` +
				`400 Bad Req"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, _ := windowsHost(t, windowshost.Manner{Instead: map[wire.Command][]byte{c.said: c.octets}})
			j := start(t, []string{"join", at.address, "--app", at.app, "--bind", at.beside(), "--timeout", anHour,
				"--events", "ndjson"})
			d := j.event("dropped", "reason", "malformed")
			assert.Equal(t, at.address, netip.MustParseAddrPort(d["addr"].(string)).Addr().String())
			assert.Equal(t, exitInput, j.end())
			assert.Contains(t, j.stderr(), c.want)
			assert.Contains(t, j.stderr(), "record it (--record) and ask dplay doctor")
			if c.said == wire.CmdRequestPlayerReply {
				j.event("join_failed")
			}
		})
	}
}

// TestIgnoredSearch looks for another game than the one that is hosted: the host tells why there is no answer.
func TestIgnoredSearch(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"text", "ndjson"} {
		at := newPlace(t)
		h := start(t, at.host("--events", how))
		if how == "ndjson" {
			h.event("session_opened")
		} else {
			h.expectWith(`* hosting "Test"`)
		}
		s := start(t, at.sessions("--app", "{00000009-0000-0000-0000-000000000000}", "--timeout", anHour))
		if how == "ndjson" {
			e := h.event("enumeration_ignored", "reason", "other-game")
			assert.Equal(t, "{00000009-0000-0000-0000-000000000000}", e["application_guid"])
			assert.Equal(t, false, e["password"])
		} else {
			h.expectWith("* " + at.address + " looks for sessions and gets no answer: it looks for another game, {00000009-")
		}
		assert.Equal(t, exitOK, s.interrupt(), "who is interrupted is not told that nobody answered")
		assert.Equal(t, exitOK, h.interrupt(), h.stderr())
	}
}
