package dpsp

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/internal/admit"
	"dplay4/wire"
)

var rewrite = flag.Bool("rewrite", false, "write the table of messages into doc.go")

// A trustRow is one message, and whom an engine believes it.
type trustRow struct {
	message string
	*messageRule
}

// trustTable returns all messages but those that are not supported, in the order of their numbers.
func trustTable() []trustRow {
	var rows []trustRow
	for _, k := range slices.SortedFunc(maps.Keys(rules), func(a, b messageKey) int {
		return cmp.Or(cmp.Compare(a.command, b.command), cmp.Compare(a.kind, b.kind))
	}) {
		if r := rules[k]; r.take != nil {
			rows = append(rows, trustRow{k.String(), r})
		}
	}
	return rows
}

// TestRules checks that there is a rule for every message, so that none is forgotten.
func TestRules(t *testing.T) {
	for _, c := range wire.Commands() {
		assert.Contains(t, rules, messageKey{command: c}, "messages.go has no rule for it")
	}
	for k := range wire.ExtensionKind(0x20) {
		if !strings.HasPrefix(k.String(), "UNKNOWN") && (k < wire.KindTable || k > wire.KindFormers) { // those of older releases
			assert.Contains(t, rules, messageKey{wire.CmdExtension, k}, "messages.go has no rule for it")
		}
	}
	for k, r := range rules {
		if r.take == nil {
			assert.Equal(t, messageRule{datagram: true}, *r, "%v is not supported", k)
			continue
		}
		assert.NotContains(t, []string{r.believed.joining.word, r.believed.host.word, r.believed.member.word}, "", k)
		assert.Equal(t, r.believed.joining.word == "held", !r.outside && !r.repeats && k.command != wire.CmdPlayerMessage, "%v: what is for members waits while we join", k)
		if r.makes || r.links || r.changes {
			require.NotNil(t, r.waits, k)
			assert.NotPanics(t, func() { r.waits(wire.New(k.command)) }, k)
		}
		if r.text != nil {
			assert.NotPanics(t, func() { r.text(wire.New(k.command)) }, k)
		}
	}
}

// The package documentation has the table. "go test ./dpsp -run TestTrustTable -rewrite" writes it.
func TestTrustTable(t *testing.T) {
	const head = "//\tmessage                     by UDP  joining  host     member   waits  changes\n"
	var b strings.Builder
	b.WriteString(head)
	for _, r := range trustTable() {
		yes := func(v bool, is string) string {
			if v {
				return is
			}
			return "-"
		}
		changes := yes(r.changes, "players")
		if r.group {
			changes = "groups"
		}
		line := fmt.Sprintf("//\t%-27s %-7s %-8s %-8s %-8s %-6s %s", r.message, map[bool]string{true: "yes", false: "no"}[r.datagram],
			r.believed.joining.word, r.believed.host.word, r.believed.member.word, yes(r.waits != nil, "yes"), changes)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	start := strings.Index(string(doc), "//\tmessage ")
	require.Positive(t, start)
	end := start + strings.Index(string(doc[start:]), "//\n")
	if *rewrite {
		doc = slices.Concat(doc[:start], []byte(b.String()), doc[end:])
		require.NoError(t, os.WriteFile("doc.go", doc, 0o644))
		return
	}
	assert.Equal(t, b.String(), string(doc[start:end]), "go test ./dpsp -run TestTrustTable -rewrite writes it")
}

// A trustWorld is a session of a host and three members, with a player and a group each, and a stranger that found it.
type trustWorld struct {
	*world
	n       []*node // the host, a member that is sent to, one that sends, one that is spoken of
	players map[*node]wire.PlayerID
	groups  map[*node]wire.PlayerID
	objects map[*node]wire.ObjectID
	outside *node
	sends   []Outgoing // of who is sent to
}

// newTrustWorld makes one. DirectPlay 4 is tried in a session that does not migrate, for there compatible engines go by
// Windows; what is about hosts and parts of sessions in one that does.
func newTrustWorld(t *testing.T, message string, compatible bool) *trustWorld {
	t.Helper()
	flags := wire.SessionKeepAlive
	if strings.HasPrefix(message, "EXTENSION") || message == "IAMNAMESERVER" {
		flags |= wire.SessionMigrateHost
	}
	w, n, ids := session(t, flags, 3, Config{Compatible: compatible})
	x := &trustWorld{world: w, n: n, players: map[*node]wire.PlayerID{}, groups: map[*node]wire.PlayerID{}, objects: map[*node]wire.ObjectID{}}
	for i, p := range n {
		x.players[p] = ids[i]
		x.groups[p] = w.must(p, CreateGroup{})
		if strings.HasPrefix(message, "EXTENSION OBJECT") {
			x.objects[p] = w.do(p, CreateObject{State: []byte("state")}).Object
		}
	}
	x.outside = w.add("stranger", Config{Legacy: true})
	w.must(x.outside, Enumerate{Application: gameGUID, Flags: wire.EnumAll})
	return x
}

// message returns one by its name that says something new of a member or its things, for one that it is sent to.
func (x *trustWorld) message(t testing.TB, name string, to, of *node) wire.Message {
	t.Helper()
	if kind, ok := strings.CutPrefix(name, "EXTENSION "); ok {
		return x.extension(t, kind, to, of)
	}
	if m := x.aboutList(name, of); m != nil {
		return m
	}
	desc := x.n[0].list.Desc()
	desc.MaxPlayers = 77
	stranger := wire.PackedPlayer{ID: 0x7700, System: 0x7700, Flags: wire.PlayerSystem, Version: uint32(wire.DX9)}
	game := wire.PlayerMessage{From: x.players[of], Payload: []byte("game")}
	inner := wire.Inner{Version: wire.DX9, Message: &wire.PlayerMessage{From: x.players[of], Payload: []byte("inner")}}
	part := wire.Inner{Octets: []byte("part")}
	return map[string]wire.Message{
		"ENUMSESSIONS":            &wire.EnumSessions{Flags: wire.EnumAll},
		"ENUMSESSIONSREPLY":       &wire.EnumSessionsReply{Name: wire.NewText("forged")},
		"ENUMPLAYER":              &wire.EnumPlayer{},
		"ENUMPLAYERSREPLY":        &wire.EnumPlayersReply{},
		"SUPERENUMPLAYERSREPLY":   &wire.SuperEnumPlayersReply{},
		"REQUESTPLAYERID":         &wire.RequestPlayerID{Flags: wire.PlayerSystem},
		"REQUESTGROUPID":          &wire.RequestGroupID{},
		"REQUESTPLAYERREPLY":      &wire.RequestPlayerReply{ID: 0x7700},
		"ADDFORWARDREQUEST":       &wire.AddForwardRequest{Player: 0x7700, Info: stranger},
		"ADDFORWARDREPLY":         &wire.AddForwardReply{Error: wire.ErrInvalidPassword},
		"ADDFORWARD":              &wire.AddForward{Player: 0x7700, Info: stranger},
		"ADDFORWARDACK":           &wire.AddForwardAck{ID: 0x7700},
		"SESSIONDESCCHANGED":      &wire.SessionDescChanged{Desc: desc, Name: wire.NewText("forged")},
		"IAMNAMESERVER":           &wire.IAmNameServer{To: to.self, Host: of.self},
		"YOUAREDEAD":              &wire.YouAreDead{},
		"PING":                    &wire.Ping{From: of.self, Tick: 1},
		"PINGREPLY":               &wire.PingReply{From: of.self, Tick: 1},
		"PLAYERMESSAGE":           &game,
		"PLAYERWRAPPER":           &wire.PlayerWrapper{Player: game},
		"CHAT":                    &wire.Chat{From: x.players[of], Text: wire.NewText("chat")},
		"ASK4MULTICAST":           &wire.Ask4Multicast{From: x.players[of], Inner: inner},
		"ASK4MULTICASTGUARANTEED": &wire.Ask4MulticastGuaranteed{From: x.players[of], Inner: inner},
		"MULTICASTDELIVERY":       &wire.MulticastDelivery{Group: wire.IDAll, Inner: inner},
		"PACKET":                  &wire.Packet{ID: wire.GUID{9}, Total: 2, MessageSize: 8, Data: part},
		"PACKET2_DATA":            &wire.Packet2Data{ID: wire.GUID{9}, Total: 2, MessageSize: 8, Data: part},
		"PACKET2_ACK":             &wire.Packet2Ack{ID: wire.GUID{9}},
	}[name]
}

// aboutList returns the messages that change the list of players and groups.
func (x *trustWorld) aboutList(name string, of *node) wire.Message {
	info := wire.PackedPlayer{ID: 0x7700, System: of.self, Version: uint32(wire.DX9)}
	player, group, text := x.players[of], x.groups[of], wire.NewText("forged")
	other := x.groups[x.n[0]]
	if of == x.n[0] {
		other = x.groups[x.n[1]]
	}
	return map[string]wire.Message{
		"CREATEPLAYER":          &wire.CreatePlayer{Player: info.ID, Info: info},
		"CREATEPLAYERVERIFY":    &wire.CreatePlayerVerify{Player: info.ID, Info: info},
		"CREATEGROUP":           &wire.CreateGroup{Player: info.ID, Info: info},
		"DELETEPLAYER":          &wire.DeletePlayer{Player: of.self},
		"DELETEGROUP":           &wire.DeleteGroup{Group: group},
		"PLAYERNAMECHANGED":     &wire.PlayerNameChanged{Player: player, ShortName: text},
		"PLAYERDATACHANGED":     &wire.PlayerDataChanged{Player: player, Data: []byte("forged")},
		"GROUPNAMECHANGED":      &wire.GroupNameChanged{Group: group, ShortName: text},
		"GROUPDATACHANGED":      &wire.GroupDataChanged{Group: group, Data: []byte("forged")},
		"ADDPLAYERTOGROUP":      &wire.AddPlayerToGroup{Player: player, Group: group},
		"DELETEPLAYERFROMGROUP": &wire.DeletePlayerFromGroup{Player: player, Group: other},
		"ADDSHORTCUTTOGROUP":    &wire.AddShortcutToGroup{Child: group, Parent: other},
		"DELETEGROUPFROMGROUP":  &wire.DeleteGroupFromGroup{Child: other, Parent: group},
	}[name]
}

func (x *trustWorld) extension(t testing.TB, kind string, to, of *node) wire.Message {
	t.Helper()
	bodies := map[string]wire.ExtensionBody{
		"HELLO":   &wire.ExtensionHello{Answer: 1, Abilities: wire.HelloViews | wire.HelloObjects},
		"ARRIVED": &wire.ExtensionArrived{Mine: wire.ArrivedEnd{Incarnation: wire.GUID{1}}},
		"VIEW":    &wire.ExtensionView{Step: wire.ViewPrepare, From: wire.ViewMember{System: of.self, Incarnation: 1}},
	}
	b := bodies[kind]
	for k := wire.KindObjectCreate; k <= wire.KindObjectInstruct && b == nil; k++ {
		if k.String() == kind {
			b = &wire.ExtensionObject{Op: k, Object: x.objects[of], Owner: of.self, Counter: 1, Sequence: 9, State: []byte("forged")}
		}
	}
	return wire.NewExtension(of.self, b)
}

// state is what an engine knows of its session, without what only play and signs of life change.
func (x *trustWorld) state(p *node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "state %d self %v host %v\n", p.Engine.state, p.self, p.host)
	fmt.Fprintf(&b, "requests %d waiting %d migrating %v joining %+v\n", len(p.requests.line), len(p.holdback.held), p.migration.running, p.join)
	if p.list != nil {
		s := p.list.Session()
		fmt.Fprintf(&b, "%v %x %x\n%+v\n%+v\n", s.Desc, s.Name, s.Password, p.list.Players(), p.list.Groups())
		for _, g := range p.list.Groups() {
			fmt.Fprintln(&b, g.ID, p.list.AppendMembers(nil, g.ID), p.list.AppendShortcuts(nil, g.ID))
		}
	}
	for _, m := range p.peers.all {
		fmt.Fprintln(&b, m.system, m.stream, m.datagram, m.alias, m.modern, m.claimed, m.passed, m.text, theirs(m))
	}
	return b.String()
}

// put has a message sent: a game message has no header in a datagram.
func (x *trustWorld) put(from, to *node, sp wire.SPHeader, m wire.Message, udp bool) {
	x.t.Helper()
	game, ok := m.(*wire.PlayerMessage)
	if !ok || !udp {
		x.raw(from, to, sp, m, udp)
		return
	}
	b, err := wire.AppendPlayerMessage(nil, game)
	require.NoError(x.t, err)
	x.queue = append(x.queue, packet{from, to.datagram(), true, b})
	x.settle()
}

// A speaker is somebody who says something that is about itself, or about others.
type speaker struct {
	name string
	who  string // stranger, forged, own, others or host
	udp  bool
	// say has it said to somebody, and gives who it says it of.
	say func(x *trustWorld, to *node, message string) *node
}

func speakers() []speaker {
	of := func(x *trustWorld, to *node, message string, from, of *node, sp wire.SPHeader, udp bool) *node {
		x.put(from, to, sp, x.message(x.t, message, to, of), udp)
		return from
	}
	stranger := func(udp, header bool) func(*trustWorld, *node, string) *node {
		return func(x *trustWorld, to *node, message string) *node {
			sp, spoken := x.outside.cfg.header(), x.n[2]
			if header { // it names the address of who may say so
				if spoken = x.n[0]; to == spoken {
					spoken = x.n[2]
				}
				sp.SockAddr = sockAddr(spoken.stream())
			}
			return of(x, to, message, x.outside, spoken, sp, udp)
		}
	}
	return []speaker{
		{"a stranger", "stranger", false, stranger(false, false)},
		{"a stranger with another's header", "stranger", false, stranger(false, true)},
		{"a stranger's datagram", "stranger", true, stranger(true, false)},
		{"a stranger's datagram with another's header", "stranger", true, stranger(true, true)},
		{"a datagram with the host's address forged", "forged", true, func(x *trustWorld, to *node, message string) *node {
			as := x.n[0]
			if to == as {
				as = x.n[2]
			}
			return of(x, to, message, as, as, as.cfg.header(), true)
		}},
		{"a member of itself", "own", false, func(x *trustWorld, to *node, message string) *node {
			return of(x, to, message, x.n[2], x.n[2], x.n[2].cfg.header(), false)
		}},
		{"a member of another", "others", false, func(x *trustWorld, to *node, message string) *node {
			return of(x, to, message, x.n[2], x.n[3], x.n[2].cfg.header(), false)
		}},
		{"the host", "host", false, func(x *trustWorld, to *node, message string) *node {
			return of(x, to, message, x.n[0], x.n[0], x.n[0].cfg.header(), false)
		}},
	}
}

// believed says what the table says of a speaker.
func (r *trustRow) believes(cell, who string, compatible bool) bool {
	if compatible && cell != "-" {
		switch {
		case r.message == "ENUMPLAYER":
			cell = "anybody"
		case (cell == "owner" || cell == "host") && !strings.HasPrefix(r.message, "EXTENSION"):
			cell = "member"
		}
	}
	switch who {
	case "stranger":
		return cell == "anybody"
	case "forged": // it seems to be the host
		return r.datagram && cell != "-"
	case "host":
		return cell != "-"
	case "own":
		return cell != "-" && cell != "host"
	}
	return cell == "anybody" || cell == "member"
}

// Every message from everybody, to the host and to a member, as a rule and where it is compatible: the table says who is
// believed. What is not believed changes nothing, is answered to nobody but its sender, and is reported.
func TestWhoIsBelieved(t *testing.T) {
	for _, r := range trustTable() {
		switch r.message {
		case "EXTENSION VIEW": // package view decides
			continue
		}
		t.Run(r.message, func(t *testing.T) {
			t.Parallel()
			for _, compatible := range []bool{false, true} {
				for _, toHost := range []bool{false, true} {
					outside := newTrustWorld(t, r.message, compatible) // who is outside changes nothing in it
					outside.prepare(r.message)
					for _, s := range speakers() {
						x := outside
						if s.who != "stranger" && s.who != "forged" {
							x = newTrustWorld(t, r.message, compatible)
							x.prepare(r.message)
						}
						r.try(t, x, s, toHost, compatible)
					}
				}
			}
		})
	}
}

func (r *trustRow) try(t *testing.T, x *trustWorld, s speaker, toHost, compatible bool) {
	to, cell := x.n[1], r.believed.member.word
	if toHost {
		to, cell = x.n[0], r.believed.host.word
	}
	if toHost && s.who == "host" {
		return
	}
	believed := r.believes(cell, s.who, compatible)
	what := fmt.Sprintf("%s to %s, compatible %v", s.name, to.name, compatible)
	before := x.state(to)
	to.events, x.sends = nil, nil
	x.cut = func(from, _ *node, out Outgoing) bool {
		if from == to {
			x.sends = append(x.sends, out)
		}
		return from == to
	}
	from := s.say(x, to, r.message)
	x.cut = nil
	changed := x.state(to) != before
	reported := eventsOf[Dropped](to.events)
	told := len(to.events) > len(reported)
	if s.who == "stranger" || s.who == "forged" || !believed {
		x.run(x.now + to.cfg.Populate + 1) // what waits for its sender to be announced has waited by then
		reported = eventsOf[Dropped](to.events)
		assert.True(t, before == x.state(to), "%s: it changed something: %v", what, to.events)
		for _, out := range x.sends {
			if s.who == "stranger" {
				assert.Equal(t, from.addr, out.To.Addr(), "%s: an answer", what)
			}
		}
	}
	switch {
	case s.udp && !r.datagram:
		require.Len(t, reported, 1, what)
		assert.Equal(t, NotAllowed, reported[0].Reason, what)
	case !believed:
		assert.False(t, told, "%s: %v", what, to.events)
		if r.message != "ENUMSESSIONS" {
			assert.NotEmpty(t, reported, what)
		}
	default:
		for _, d := range reported {
			assert.NotContains(t, []Reason{NotAllowed, NotMember}, d.Reason, "%s: %s", what, d.Text)
		}
		if !r.quiet(s.who) {
			assert.True(t, changed || told || len(x.sends) > 0, what)
		}
	}
}

// prepare has things so that what is said makes a difference.
func (x *trustWorld) prepare(message string) {
	switch message {
	case "ENUMSESSIONSREPLY":
		x.n[0].search.asked = true
	case "CREATEPLAYER", "CREATEPLAYERVERIFY", "CREATEGROUP":
		for _, p := range x.n[2:] {
			x.n[0].admission.Promises = append(x.n[0].admission.Promises, admit.Promise{ID: 0x7700, To: p.self, Deadline: Never})
		}
	case "DELETEPLAYERFROMGROUP":
		for i, p := range x.n {
			other := x.groups[x.n[0]]
			if i == 0 {
				other = x.groups[x.n[1]]
			}
			x.must(x.n[1], AddToGroup{Player: x.players[p], Group: other})
		}
	case "DELETEGROUPFROMGROUP":
		for i, p := range x.n {
			other := x.groups[x.n[0]]
			if i == 0 {
				other = x.groups[x.n[1]]
			}
			x.must(x.n[1], AddShortcut{Child: other, Parent: x.groups[p]})
		}
	}
}

// quiet reports whether a message makes no difference if it was not asked for, or is old.
func (r *trustRow) quiet(who string) bool {
	switch r.message {
	case "IAMNAMESERVER": // to the host from one that follows it: it is old
		return true
	case "ENUMPLAYERSREPLY", "SUPERENUMPLAYERSREPLY", "REQUESTPLAYERREPLY", "ADDFORWARDREQUEST", "ADDFORWARDREPLY", "ADDFORWARDACK",
		"PACKET", "PACKET2_ACK", "PINGREPLY":
		return true
	}
	return strings.HasPrefix(r.message, "EXTENSION OBJECT")
}
