package events

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp"
	"dplay4/wire"
)

// TestAlike marks players whose names people could take for each other with their ids, and nobody else.
func TestAlike(t *testing.T) {
	said := func(r *Roster, from wire.PlayerID) string {
		line := string(Text{}.Append(nil, time.Time{}, dpsp.ChatMessage{From: from, To: 1, Text: "hi"}, r))
		name, found := strings.CutSuffix(line, ": hi\n")
		assert.True(t, found, line)
		return name
	}
	for _, other := range []string{"Ann", "ann", "ANN", " Ann ", "A n n", "Аnn", "Ａｎｎ", "Anñ", "A\u0301nn", "Ann\u200b", "A\u00adnn", "A\u202enn",
		"Ann\u3164", "ΑΝΝ"} {
		r := NewRoster()
		r.Learn(dpsp.PlayerCreated{ID: 0x11, System: 0x10, ShortName: "Ann"})
		assert.Equal(t, "Ann", said(r, 0x11))
		r.Learn(dpsp.PlayerCreated{ID: 0x21, System: 0x20, ShortName: other})
		assert.Equal(t, "Ann (0x00000011)", said(r, 0x11), other)
		assert.True(t, strings.HasSuffix(said(r, 0x21), " (0x00000021)"), other)
		who := strings.Join(r.Who(dpsp.SessionOpened{}), "\n")
		assert.Contains(t, who, "Ann (0x00000011)", other)
		assert.Contains(t, who, " (0x00000021)", other)
		assert.True(t, strings.HasSuffix(r.machine(0x20, ""), " (0x00000020)'s machine"), r.machine(0x20, ""))
		r.Learn(dpsp.PlayerChanged{ID: 0x21, ShortName: "Bob", Renamed: true})
		assert.Equal(t, []string{"Ann", "Bob", "Bob's machine"}, []string{said(r, 0x11), said(r, 0x21), r.machine(0x20, "")}, other)
		renamed := string(Text{}.Append(nil, time.Time{}, dpsp.PlayerChanged{ID: 0x21, ShortName: other, Renamed: true}, r))
		assert.True(t, strings.HasSuffix(renamed, " (0x00000021) now\n"), renamed)
		r.Learn(dpsp.PlayerChanged{ID: 0x21, ShortName: other, Renamed: true})
		assert.Equal(t, "Ann (0x00000011)", said(r, 0x11), other)
		r.Learn(dpsp.PlayerDeleted{ID: 0x21})
		assert.Equal(t, "Ann", said(r, 0x11), other)
		assert.Len(t, r.alike.with, 1)
	}
	r := NewRoster()
	r.Learn(dpsp.PlayerCreated{ID: 0x11, System: 0x10, ShortName: "Ann"})
	r.Learn(dpsp.PlayerCreated{ID: 0x12, System: 0x10, ShortName: "Anna"})
	r.Learn(dpsp.PlayerCreated{ID: 0x21, System: 0x20, ShortName: "Ann (0x00000011)"})
	r.Learn(dpsp.PlayerCreated{ID: 0x22, System: 0x20, ShortName: "日本"})
	assert.Equal(t, "Ann", said(r, 0x11))
	assert.Equal(t, "Anna", said(r, 0x12))
	assert.Equal(t, "Ann (0x00000011) (0x00000021)", said(r, 0x21), "a name that has an id in it")
	assert.Equal(t, "日本", said(r, 0x22))
	r.Learn(dpsp.PlayerCreated{ID: 0x23, System: 0x20, ShortName: "Ann (to you alone)"})
	assert.Equal(t, "Ann (to you alone) (0x00000023)", said(r, 0x23), "a name that claims how it was said")
	assert.Equal(t, "Ann", said(r, 0x11))
	assert.Equal(t, "Ann's machine", r.machine(0x10, ""))
	r.Learn(dpsp.GroupCreated{ID: 0x31, System: 0x10, ShortName: "Anna"})
	assert.Equal(t, "Anna (0x00000012)", said(r, 0x12), "a group is called so, too")
	r.Learn(dpsp.GroupDeleted{ID: 0x31})
	assert.Equal(t, "Anna", said(r, 0x12))
}

// TestLongNames bounds what names and texts take on a screen. Objects have all of them.
func TestLongNames(t *testing.T) {
	name := strings.Repeat("ä", 250_000)
	const shown = 64
	r := NewRoster()
	created := dpsp.PlayerCreated{ID: 0x11, System: 0x10, ShortName: name}
	for _, e := range []dpsp.Event{
		created,
		dpsp.PlayerChanged{ID: 0x11, ShortName: name, Renamed: true},
		dpsp.ChatMessage{From: 0x11, Text: "hi"},
		dpsp.GroupCreated{ID: 0x12, System: 0x10, ShortName: name},
		dpsp.MemberAdded{Player: 0x11, Group: 0x12},
		dpsp.MemberRemoved{Player: 0x11, Group: 0x12},
		dpsp.Message{From: 0x11, Sent: 0x12},
		dpsp.PeerLost{System: 0x10, Reason: "why"},
		dpsp.HostLost{Host: 0x10, Reason: "why"},
		dpsp.SessionOpened{Name: name},
		dpsp.SessionChanged{Name: name},
		dpsp.PlayerDeleted{ID: 0x11, Name: name},
	} {
		text := string(Text{}.Append(nil, time.Time{}, e, r))
		assert.LessOrEqual(t, strings.Count(text, "ä"), 2*shown, "%T", e)
		assert.Contains(t, text, "ä... (250000 letters)", "%T", e)
		r.Learn(e)
		if _, deleted := e.(dpsp.PlayerDeleted); !deleted {
			assert.LessOrEqual(t, strings.Count(strings.Join(r.Who(dpsp.SessionOpened{}), "\n"), "ä"), 3*shown, "%T", e)
		}
	}
	assert.Contains(t, string(AppendNDJSON(nil, time.Time{}, created, r)), name)
	said := string(Text{}.Append(nil, time.Time{}, dpsp.ChatMessage{From: 0x11, Text: name}, r))
	assert.Equal(t, 1000, strings.Count(said, "ä"))
	assert.Contains(t, said, "... (250000 letters)\n")
}
