package doctor

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
)

// verdicts are what is to be said of each capture of the project: the codes of the findings, in order, and what the
// verdict must hold. What happened in each is in the README of its folder.
var verdicts = map[string]struct {
	codes string
	text  string
}{
	"lab/01-rzhost-asis-w10join-fails-packedoffset0":  {"list-malformed", "(PackedOffset is 0), and the joiner gave up"},
	"lab/02-rzhost-packedoffset-gamemsg-w10join-full": {"", "healthy: 1 session, 1 machine joined, 13 messages in all"},
	// Joiner and host make the same mistakes, and understand each other.
	"lab/03-rzhost-rzjoin-asis":               {"list-malformed message-malformed message-malformed", "(PackedOffset is 0), but the joiner went on"},
	"lab/04-rzhost-w10join-unreliable-udp":    {"", "healthy: 1 session, 1 machine joined, 15 messages in all"},
	"lab/05-rzhost-two-w10-joiners":           {"", "healthy: 1 session, 2 machines joined, 26 messages in all"},
	"lab/05-rzhost-two-w10-joiners-peer2peer": {"", "healthy: 5 messages in all"},
	"lab/06-rzhost-clientserver-w10join":      {"player-never-created", `10.77.0.2 got the id 0x000003eb for a player in the session "CSsess"`}, // facts, 6
	"lab/07a-rzhost-password-w10join-right":   {"", "healthy: "},
	"lab/07b-rzhost-password-w10join-wrong":   {"", "healthy: "}, // this host lets everybody in
	"lab/08-rzhost-full-max1-w10join":         {"session-full", `10.77.0.2 got no player in the session "FULL": the session is full`},
	"lab/09-rzhost-group-w10join":             {"list-malformed", "has octets that belong to nothing (3 octets at octet 399 belong to no field), and the joiner gave up"},
	"lab/09b-rzhost-groupfix-w10join":         {"", "healthy: "},
	"lab/10-rzhost-rzjoin-asis-gamemsg-clobbered": {"game-ids-unknown game-ids-unknown list-malformed message-malformed message-malformed",
		`10.77.0.2 ("RZJ") sent game messages between players that do not exist`},
	"lab/11-loopback-rzhost-rawjoiner":          {"", "healthy: "},
	"lab/11b-loopback-rzhost-asis-rawjoiner":    {"list-malformed", "(PackedOffset is 0), but the joiner went on"},
	"lab/12-w10join-big-guaranteed-60000":       {"", "healthy: "},
	"lab/12b-w10join-big-unreliable-9000":       {"capture-incomplete", "the capture lacks 7536 octets of messages that were sent"},
	"lab/13-w10join-group-setdata-setname-chat": {"", "healthy: "},

	// Refused at first, with the wrong password, and then let in.
	"interop/ourhost-two-w10-joiners":  {"password-wrong", `192.0.2.2 ("a") was not let into the session "ours": the password was wrong; it was let in at 0.516 s`},
	"interop/ourhost-full-w10-joiners": {"session-full session-full", `192.0.2.2 ("a") got no player in the session "small": the session is full`},
	"interop/ourhost-third-machine":    {"", "healthy: 1 session, 3 machines joined"},
	"interop/dplay-third-machine":      {"", "healthy: "},
	"interop/ourhost-gone":             {"", "healthy: 1 session, 5 machines joined"},

	// A host that is gone and has a successor is no fault.
	"migration/killed-modern": {"", "healthy: "},
	"migration/killed-legacy": {"", "healthy: "},
	"migration/before-views":  {"several-hosts member-silent member-silent member-silent", ` were host of the session "Migration" at the same time`},
	"migration/cut-left":      {"several-hosts member-silent member-silent", ` were host of the session "Migration" at the same time`},
	"migration/cut-right":     {"several-hosts member-silent", `192.0.2.1 ("p0") and 192.0.2.3 ("p2") were host of the session "Migration" at the same time`},
	"migration/frozen-host":   {"several-hosts", `127.0.3.10 ("p0") and 127.0.3.11 ("p1") were host of the session "Migration" at the same time`},
	"migration/frozen-member": {"declared-dead", `127.0.3.10 ("p0") told 127.0.3.12 ("p2") that it is not in the session any more`},
}

// recordings are all captures of the project.
func recordings(t testing.TB) []string {
	files, err := filepath.Glob("../*/*.pcap*")
	require.NoError(t, err)
	return files
}

// TestBusy examines two recordings of real programs: on machines that are busy frames are sent again although nothing is lost, and
// behind a firewall of the host no datagram gets to it.
func TestBusy(t *testing.T) {
	for file, want := range map[string][]string{
		"reliable-busy.pcap": {"sent-again-too-early", "sent-again-too-early"},
		"udp-one-way.pcapng": {"udp-one-way", "several-hosts"},
	} {
		b, err := os.ReadFile(filepath.Join("testdata", file))
		require.NoError(t, err)
		r, err := Examine(context.Background(), bytes.NewReader(b), Options{})
		require.NoError(t, err)
		var codes []string
		for _, f := range r.Findings[:r.wrong()] {
			codes = append(codes, string(f.Code))
		}
		assert.Equal(t, want, codes, "%s: %s", file, r.AppendText(nil))
	}
}

// TestCaptures holds the verdict on every capture of the project, so that there is no false alarm.
func TestCaptures(t *testing.T) {
	for _, file := range recordings(t) {
		name := strings.TrimPrefix(filepath.ToSlash(strings.TrimSuffix(file, filepath.Ext(file))), "../")
		t.Run(name, func(t *testing.T) {
			want, ok := verdicts[name]
			require.True(t, ok, "no verdict is expected: add one")
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			r, err := Examine(context.Background(), bytes.NewReader(b), Options{Options: captures.Options{Name: name}})
			require.NoError(t, err)
			requireSound(t, r, r.Summary.Frames)
			var codes []string
			for _, f := range r.Findings {
				codes = append(codes, string(f.Code))
			}
			assert.Equal(t, want.codes, strings.Join(codes, " "))
			assert.Contains(t, r.Verdict(), want.text)
			again, err := Examine(context.Background(), bytes.NewReader(b), Options{Options: captures.Options{Name: name}})
			require.NoError(t, err)
			assert.Equal(t, string(r.AppendText(nil)), string(again.AppendText(nil)), "the same every time")
		})
	}
	assert.GreaterOrEqual(t, len(recordings(t)), len(verdicts))
}
