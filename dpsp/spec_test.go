package dpsp

import (
	"encoding/hex"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// golden returns the octets of a golden file of package wire.
func golden(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("../wire/testdata/golden/" + name + ".hex")
	require.NoError(t, err)
	var digits strings.Builder
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		digits.WriteString(strings.Join(strings.Fields(line), ""))
	}
	b, err := hex.DecodeString(digits.String())
	require.NoError(t, err)
	return b
}

// Sections 4.1 and 4.2: a host with what 4.2 says answers 4.1 with the octets of 4.2. A joiner that looks for sessions as 4.1
// does sends those of 4.1, and finds in 4.2 what is in it.
func TestExamplesOfEnumeration(t *testing.T) {
	request, reply := golden(t, "ENUMSESSIONS-spec"), golden(t, "ENUMSESSIONSREPLY-spec")
	env, err := new(wire.Decoder).DecodeStream(reply)
	require.NoError(t, err)
	d := env.Message.(*wire.EnumSessionsReply).Desc
	w := newWorld(t)
	h := w.add("host", Config{})
	w.must(h, Host{Application: d.Application, Instance: d.Instance, Name: "LOTHAIR", Password: "Password", MaxPlayers: d.MaxPlayers,
		Flags: d.Flags &^ wire.SessionPasswordRequired, User: d.User})
	w.must(h, CreatePlayer{ShortName: "Nobleman"})
	var got []byte
	joiner := w.add("joiner", Config{})
	w.cut = func(from, _ *node, out Outgoing) bool {
		if from == h {
			got = append(got, out.Data...)
		}
		return false
	}
	w.step(h, Input{Kind: Datagram, From: netip.AddrPortFrom(joiner.addr, 40000), Data: request})
	require.Len(t, got, len(reply))
	const reserved1 = 20 + 64 // the host draws it
	copy(got[reserved1:reserved1+4], reply[reserved1:])
	assert.Equal(t, hex.EncodeToString(reply), hex.EncodeToString(got))

	got = nil
	w.cut = func(_, _ *node, out Outgoing) bool {
		got = append(got, out.Data...)
		return true
	}
	w.must(joiner, Enumerate{Application: d.Application, Flags: wire.EnumAll, Password: "Password"})
	assert.Equal(t, hex.EncodeToString(request), hex.EncodeToString(got))
	joiner.events = nil
	w.step(joiner, Input{Kind: Stream, From: netip.AddrPortFrom(h.addr, 40000), Data: reply})
	found := eventsOf[SessionFound](joiner.events)
	require.Len(t, found, 1)
	assert.Equal(t, d, found[0].Desc)
	assert.Equal(t, "LOTHAIR", found[0].Name)
	assert.Equal(t, h.stream(), found[0].Host)
}

// Section 4.3: a nascent instance joins a host and a third, established instance. These messages in this order, and the list
// only when the established instance has answered.
func TestExampleOfJoining(t *testing.T) {
	for _, legacy := range []bool{true, false} {
		w, n, _ := session(t, 0, 1, Config{Legacy: legacy})
		nascent := w.add("nascent", Config{Legacy: legacy})
		var log []string
		w.tap(&log)
		w.must(nascent, Join{Host: n[0].stream(), Desc: n[0].list.Desc(), Name: "Game"})
		told := slices.DeleteFunc(slices.Clone(log), func(l string) bool { return strings.HasSuffix(l, " EXTENSION") })
		assert.Equal(t, []string{
			"nascent>host REQUESTPLAYERID",
			"host>nascent REQUESTPLAYERREPLY",
			"nascent>host ADDFORWARDREQUEST",
			"host>peer1 ADDFORWARD",
			"peer1>host ADDFORWARDACK",
			"host>nascent SUPERENUMPLAYERSREPLY",
		}, told)
		assert.Equal(t, legacy, len(log) == 6, "the extension alone is said besides")
	}
}
