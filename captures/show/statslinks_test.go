package show

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/internal/madeup"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// TestStatsLinks counts the frames of a session with the reliable protocol: one is sent again and acknowledged, one waits.
func TestStatsLinks(t *testing.T) {
	const ann, robert = "10.0.0.1:2350", "10.0.0.2:2350"
	n := madeup.New(t)
	n.UDP(ann, robert, madeup.System(2300, &wire.SuperEnumPlayersReply{
		Desc: wire.SessionDesc{Instance: wire.GUID{1}, Flags: wire.SessionDirectPlayProtocol}, Name: wire.NewText("s"),
		Players: []wire.SuperPackedPlayer{
			{ID: 1, ShortName: wire.NewText("Ann"), SPData: madeup.SPData("10.0.0.1:2300", ann)},
			{ID: 2, ShortName: wire.NewText("Bob"), SPData: madeup.SPData("10.0.0.2:2300", robert)},
		},
	}))
	const single = reliable.CMD | reliable.STA | reliable.EOM | reliable.SAK | reliable.RLY
	for _, f := range []reliable.Frame{
		{Flags: single, MessageID: 1, Sequence: 1, Data: []byte("hello")},
		{Flags: single, MessageID: 1, Sequence: 1, Serial: 1, Data: []byte("hello")},
		{Flags: reliable.ACK | reliable.RLY, MessageID: 1, Sequence: 1, Serial: 1, BytesReceived: 9},
		{Flags: single, MessageID: 4, Sequence: 1, Data: []byte("far")},
	} {
		src, dst := ann, robert
		if f.From, f.To = 1, 2; f.Kind() == reliable.KindACK {
			f.From, f.To, src, dst = 2, 1, robert, ann
		}
		b, err := f.Append(nil)
		require.NoError(t, err)
		n.UDP(src, dst, b)
	}
	var s Stats
	_, err := captures.Read(context.Background(), bytes.NewReader(n.Bytes()), captures.Options{}, func(r *captures.Record) error {
		s.Add(r)
		return nil
	}, nil)
	require.NoError(t, err)
	text := string(s.AppendText(nil))
	assert.Contains(t, text, `
LINK  from              to                frames  octets  whole  again  unseen  missing  ACKs  NACKs  unacked  median ms  max ms
1     10.0.0.1:2300 #1  10.0.0.2:2300 #2       3      25      2      1       0        2     1      0        1      1.000   1.000
`)
	list := decoded(t, &s)["links"].([]any)
	require.Len(t, list, 1)
	assert.Equal(t, map[string]any{
		"link": 1.0, "from": "10.0.0.1:2300", "from_index": 1.0, "to": "10.0.0.2:2300", "to_index": 2.0, "frames": 3.0, "reliable": 3.0,
		"octets": 25.0, "octets_counted": 9.0, "whole": 2.0, "again": 1.0, "unseen": 0.0, "missing": 2.0, "acks": 1.0, "nacks": 0.0,
		"acknowledged": 1.0, "unacknowledged": 1.0, "past_holes": 0.0, "restarts": 0.0,
		"round_trip_ms": map[string]any{"median": 1.0, "max": 1.0},
	}, list[0])
	assert.NotContains(t, decoded(t, count(&Stats{}, session()...)), "links")
}
