package dpsp

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

var (
	ann8   = wire.NewText8("Ann")
	ann16  = wire.NewText("Ann")
	none16 = wire.Text{0, 0}
)

// sent returns the messages of one type that leave a machine, as whoever gets them decodes them.
func sent[M wire.Message](w *world, from *node) *[]M {
	all, before := new([]M), w.cut
	w.cut = func(n, to *node, out Outgoing) bool {
		var d wire.Decoder
		env, err := d.DecodeStream(slices.Clone(out.Data))
		if m, ok := env.Message.(M); ok && err == nil && n == from {
			*all = append(*all, m)
		}
		return before != nil && before(n, to, out)
	}
	return all
}

// Seven Kingdoms copies the long name of whoever joins, or hosts, and crashes where there is none.
func TestNobodyWithoutLongName(t *testing.T) {
	for name, c := range map[string]struct {
		short, long         Text
		wantShort, wantLong wire.Text
	}{
		"neither":        {"", "", none16, none16},
		"short":          {"Ann", "", ann16, ann16},
		"both":           {"A", "Ann", wire.NewText("A"), ann16},
		"long":           {"", "Ann", none16, ann16},
		"octets":         {Octets(ann8), "", ann8, ann8},
		"no short":       {Octets(nil), "", nil, none16},
		"none on demand": {Octets(nil), Octets(nil), nil, nil},
		"no long":        {"Ann", Octets(nil), ann16, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w, n, _ := session(t, 0, 2, Config{})
			host, peer := n[0], n[1]
			players := sent[*wire.CreatePlayer](w, peer)
			id := w.must(peer, CreatePlayer{ShortName: c.short, LongName: c.long})
			groups := sent[*wire.CreateGroup](w, host)
			g := w.must(host, CreateGroup{ShortName: c.short, LongName: c.long})
			renames := sent[*wire.GroupNameChanged](w, host)
			w.must(host, SetName{ID: g, ShortName: c.short, LongName: c.long})
			lists := sent[*wire.SuperEnumPlayersReply](w, host)
			w.join(w.add("late", Config{}), host, "")

			require.NotEmpty(t, *players)
			require.NotEmpty(t, *groups)
			require.NotEmpty(t, *renames)
			require.Len(t, *lists, 1)
			l := (*lists)[0]
			require.Len(t, l.Groups, 1)
			inList := l.Players[slices.IndexFunc(l.Players, func(p wire.SuperPackedPlayer) bool { return p.ID == id })]
			for _, got := range [][2]wire.Text{
				{(*players)[0].Info.ShortName, (*players)[0].Info.LongName}, {(*groups)[0].Info.ShortName, (*groups)[0].Info.LongName},
				{(*renames)[0].ShortName, (*renames)[0].LongName}, {l.Groups[0].ShortName, l.Groups[0].LongName},
				{inList.ShortName, inList.LongName},
			} {
				assert.Equal(t, [2]wire.Text{c.wantShort, c.wantLong}, got)
			}
			for _, p := range l.Players {
				if p.Flags&wire.PlayerSystem != 0 {
					assert.Nil(t, p.LongName, "a system player has none with Windows, either")
				}
			}
		})
	}
}

// The octets of facts, 3.11, with the names that there are always.
func TestLongNameOctets(t *testing.T) {
	b := joined(t, Config{})
	b.request(CreatePlayer{ShortName: "Ann"})
	b.one(b.give(3)[:1], TCP, mockHost.String(), `96 00 b0 fa 02 00 08 fc 00 00 00 00 00 00 00 00 00 00 00 00
		70 6c 61 79 08 00 0e 00 00 00 00 00 03 00 00 00 00 00 00 00 1c 00 00 00 00 00 00 00
		60 00 00 00 08 00 00 00 03 00 00 00 08 00 00 00 08 00 00 00 20 00 00 00 00 00 00 00 00 00 00 00
		78 56 34 12 30 00 00 00 0e 00 00 00 00 00 00 00 41 00 6e 00 6e 00 00 00 41 00 6e 00 6e 00 00 00
		02 00 08 fc 00 00 00 00 00 00 00 00 00 00 00 00 02 00 09 2e 00 00 00 00 00 00 00 00 00 00 00 00
		00 00 00 00 00 00`)
}

// A game that writes 8 bits sends the password so, and finds and enters the session all the same (facts, 10.6). What we
// say to it is in 8 bits from then on, to others as they write it.
func TestEightBitJoiner(t *testing.T) {
	w := newWorld(t)
	host := w.add("host", Config{})
	w.must(host, Host{Application: gameGUID, Name: "Castle", Password: "sesame"})
	me := w.must(host, CreatePlayer{ShortName: "Host"})
	old := w.add("old", Config{Legacy: true})
	names := sent[*wire.EnumSessionsReply](w, host)
	w.must(old, Enumerate{Application: gameGUID, Password: Octets(wire.NewText8("sesame"))})
	found := take[SessionFound](old)
	require.Len(t, found, 1)
	assert.Equal(t, wire.NewText8("Castle"), (*names)[0].Name)
	assert.Equal(t, "Castle", found[0].Name)
	assert.Equal(t, wire.EightBit, found[0].Encoding)

	lists := sent[*wire.SuperEnumPlayersReply](w, host)
	wrong := Join{Host: host.stream(), Desc: found[0].Desc, Password: Octets(wire.NewText8("sesam"))}
	assert.Equal(t, wire.ErrInvalidPassword, w.do(old, wrong).Err)
	asked := sent[*wire.AddForwardRequest](w, old)
	w.must(old, Join{Host: host.stream(), Desc: found[0].Desc, Encoding: found[0].Encoding, Password: "sesame"})
	assert.Equal(t, wire.NewText8("sesame"), (*asked)[0].Password)
	assert.Equal(t, wire.NewText8("Castle"), (*lists)[0].Name)
	young := w.add("young", Config{})
	w.must(young, Join{Host: host.stream(), Desc: found[0].Desc, Password: "sesame"})
	assert.Equal(t, wire.NewText("Castle"), (*lists)[1].Name, "that one wrote UTF-16")

	a, b := w.must(old, CreatePlayer{ShortName: "Old"}), w.must(young, CreatePlayer{ShortName: Octets(wire.NewText("Young"))})
	chat := sent[*wire.Chat](w, host)
	w.must(host, Chat{From: me, To: wire.IDAll, Guaranteed: true, Text: "hé"})
	require.Len(t, *chat, 2)
	assert.ElementsMatch(t, []wire.Text{wire.NewText("hé"), wire.NewText8("hé")}, []wire.Text{(*chat)[0].Text, (*chat)[1].Text})
	for n, id := range map[*node]wire.PlayerID{old: a, young: b} {
		got := take[ChatMessage](n)
		require.Len(t, got, 1)
		assert.Equal(t, ChatMessage{From: me, FromName: "Host", To: id, Sent: wire.IDAll, Guaranteed: true, Text: "hé"}, got[0])
	}
	chat = sent[*wire.Chat](w, host)
	w.must(host, Chat{From: me, To: a, Guaranteed: true, Text: "Łódź"})
	assert.Equal(t, wire.NewText("Łódź"), (*chat)[0].Text, "Windows-1252 cannot say it")
	assert.Equal(t, "Łódź", take[ChatMessage](old)[0].Text)
}

// What a stranger asks in 8 bits is answered so, and changes nothing for anybody else.
func TestStrangerChangesNoEncoding(t *testing.T) {
	w, n, _ := session(t, 0, 1, Config{})
	w.must(w.add("stranger", Config{}), Enumerate{Application: gameGUID, Password: Octets(wire.NewText8("sesame"))})
	names := sent[*wire.EnumSessionsReply](w, n[0])
	w.must(w.add("other", Config{}), Enumerate{Application: gameGUID})
	assert.Equal(t, wire.NewText("Game"), (*names)[0].Name)
	assert.Equal(t, wire.UTF16, n[0].encoding())
}

// The configuration says what a game writes, or every game.
func TestConfiguredEncoding(t *testing.T) {
	other := wire.GUID{9}
	for name, c := range map[string]struct {
		text map[wire.GUID]wire.Encoding
		want wire.Encoding
	}{
		"nothing":      {nil, wire.UTF16},
		"this game":    {map[wire.GUID]wire.Encoding{gameGUID: wire.EightBit}, wire.EightBit},
		"another game": {map[wire.GUID]wire.Encoding{other: wire.EightBit}, wire.UTF16},
		"every game":   {map[wire.GUID]wire.Encoding{{}: wire.EightBit}, wire.EightBit},
		"all of them":  {map[wire.GUID]wire.Encoding{{}: wire.UTF16, gameGUID: wire.EightBit}, wire.UTF16},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			host := w.add("host", Config{Text: c.text})
			names := sent[*wire.EnumSessionsReply](w, host)
			w.must(host, Host{Application: gameGUID, Name: "Castle", Password: "sesame"})
			peer := w.add("peer", Config{Text: c.text})
			w.must(peer, Enumerate{Application: gameGUID, Password: "sesame"})
			found := take[SessionFound](peer)
			require.Len(t, found, 1)
			assert.Equal(t, c.want.Text("Castle"), (*names)[0].Name)
			requests := sent[*wire.AddForwardRequest](w, peer)
			w.must(peer, Join{Host: host.stream(), Desc: found[0].Desc, Encoding: found[0].Encoding, Password: "sesame"})
			assert.Equal(t, c.want.Text("sesame"), (*requests)[0].Password)
			players := sent[*wire.CreatePlayer](w, peer)
			me := w.must(peer, CreatePlayer{ShortName: "Zoë"})
			assert.Equal(t, c.want.Text("Zoë"), (*players)[0].Info.LongName)
			assert.Equal(t, "Zoë", take[PlayerCreated](host)[0].ShortName)
			chat := sent[*wire.Chat](w, peer)
			w.must(peer, Chat{From: me, To: wire.IDAll, Guaranteed: true, Text: "héllo"})
			assert.Equal(t, c.want.Text("héllo"), (*chat)[0].Text)
			descs := sent[*wire.SessionDescChanged](w, host)
			w.must(host, SetDesc{Name: "Höhle", Password: "geheim"})
			assert.Equal(t, c.want.Text("Höhle"), (*descs)[0].Name)
			assert.Equal(t, c.want.Text("geheim"), (*descs)[0].Password)
			assert.Equal(t, "Höhle", take[SessionChanged](peer)[0].Name)
		})
	}
}

// What a joiner says is in the encoding of the session's name.
func TestJoinerWritesLikeTheHost(t *testing.T) {
	for _, enc := range []wire.Encoding{wire.UTF16, wire.EightBit} {
		w := newWorld(t)
		host := w.add("host", Config{})
		w.must(host, Host{Application: gameGUID, Name: Octets(enc.Text("Castle")), Password: Octets(enc.Text("sesame"))})
		peer := w.add("peer", Config{})
		asked := sent[*wire.AddForwardRequest](w, peer)
		w.join(peer, host, "sesame")
		assert.Equal(t, enc.Text("sesame"), (*asked)[0].Password)
		players := sent[*wire.CreatePlayer](w, peer)
		w.must(peer, CreatePlayer{ShortName: "Zoë"})
		assert.Equal(t, enc.Text("Zoë"), (*players)[0].Info.ShortName)
		assert.Equal(t, "Castle", take[SessionOpened](peer)[0].Name)
	}
}

func TestText(t *testing.T) {
	assert.Equal(t, "Zoë", Octets(wire.NewText8("Zoë")).String())
	assert.Equal(t, "Zoë", Text("Zoë").String())
	assert.Empty(t, Octets(nil).String())
	assert.True(t, Octets(nil).empty())
	assert.True(t, Octets(wire.NewText("")).empty())
	assert.True(t, Text("").empty())
	assert.False(t, Text("x").empty())
}

// Spanish and quotation marks in 8 bits can be read as UTF-16: of somebody who writes 8 bits they are what they are. What
// is UTF-16 beyond doubt stays readable from the same machine.
func TestReadsWhatWasMeant(t *testing.T) {
	w, n, ids := session(t, 0, 2, Config{})
	from := n[1]
	names := func() string { return take[PlayerChanged](n[0])[0].LongName }
	w.must(from, SetName{ID: ids[1], ShortName: Octets(wire.NewText8("José"))})
	assert.Equal(t, "José", names())
	for _, text := range []string{"¿Qué?", "¡No!", "“5 €”", "« oui »", "tab\there"} {
		for _, octets := range []wire.Text{wire.NewText8(text), wire.NewText(text)} {
			w.must(from, Chat{From: ids[1], To: ids[0], Guaranteed: true, Text: Octets(octets)})
			assert.Equal(t, text, take[ChatMessage](n[0])[0].Text, "% x", octets)
			w.must(from, SetName{ID: ids[1], ShortName: Octets(wire.NewText8("José"))})
			w.must(from, SetName{ID: ids[1], ShortName: Octets(octets)})
			assert.Equal(t, text, take[PlayerChanged](n[0])[1].LongName, "% x", octets)
			w.must(from, SetName{ID: ids[1], ShortName: Octets(wire.NewText8("José"))})
			take[PlayerChanged](n[0])
		}
	}
	w.must(n[2], Chat{From: ids[2], To: ids[0], Guaranteed: true, Text: "日本"})
	assert.Equal(t, "日本", take[ChatMessage](n[0])[0].Text)
}

// Octets that are no text fail at once, and nothing goes out.
func TestOctetsThatAreNoText(t *testing.T) {
	w, n, ids := session(t, 0, 1, Config{})
	p := w.add("peer", Config{})
	for _, bad := range []wire.Text{{'a'}, {'a', 0}, {'a', 0, 0, 0, 'b', 0, 0, 0}, {'a', 0, 0}} {
		text := Octets(bad)
		asked := sent[*wire.EnumSessions](w, p)
		assert.Equal(t, ErrText, w.do(p, Enumerate{Password: text}).Err, "% x", bad)
		assert.Empty(t, *asked)
		assert.Equal(t, ErrText, w.do(p, Join{Host: n[0].stream(), Password: text}).Err, "% x", bad)
		assert.Equal(t, ErrText, w.do(n[0], Chat{From: ids[0], To: wire.IDAll, Text: text}).Err, "% x", bad)
		assert.Error(t, w.do(n[0], SetName{ID: ids[0], ShortName: text}).Err, "% x", bad)
		assert.Error(t, w.do(n[0], SetDesc{Name: text}).Err, "% x", bad)
		assert.Error(t, w.do(p, Host{Application: gameGUID, Password: text}).Err, "% x", bad)
		assert.Empty(t, take[Dropped](p), "% x", bad)
	}
}
