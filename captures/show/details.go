package show

import (
	"reflect"
	"strconv"
	"sync/atomic"

	"dplay4/captures"
	"dplay4/wire"
)

// zeroGUID is the GUID that was not read, or means any.
var zeroGUID = wire.GUID{}.String()

// linePayload is how many octets of a payload stand in a line.
var linePayload = [...]int{PayloadHex: 24, PayloadBase64: 24, PayloadText: 64}

// A detail writes the fields of a message that matter in one line.
type detail struct {
	b       []byte
	s       *captures.Session
	payload PayloadFormat
	from    wire.PlayerID // of the message of the extension in work
	partial bool          // the message did not decode: what is zero was perhaps never read, and is left out
}

// Details appends what matters of a message, each field as " name=value".
func Details(b []byte, r *captures.Record, payload PayloadFormat) []byte {
	d := spare.Swap(nil)
	if d == nil {
		d = new(detail)
	}
	*d = detail{b: b, s: r.Session, payload: payload}
	if len(r.Frames) > 1 {
		d.key("frames")
		d.b = AppendFrames(d.b, r.Frames, lineFrames)
	}
	if r.Frame != nil {
		d.frame(r)
	}
	if r.Via != 0 {
		d.text("via", r.Via.String())
	}
	d.partial = r.Err != nil
	d.show(r.Envelope.Message)
	for i := range r.Findings {
		if r.Findings[i].Code == captures.MessageMalformed {
			d.b = append(d.b, "  ! "...)
			d.b = append(d.b, r.Findings[i].Text...)
		}
	}
	b, *d = d.b, detail{}
	spare.Store(d)
	return b
}

// spare is a detail that is not in use. Calls through lines let a detail escape, so that each message would allocate one.
var spare atomic.Pointer[detail]

// lines have what the line of a message shows of a message, of the body of an extension, and of an operation of the list, by
// their types.
var lines = map[reflect.Type]func(d *detail, of any){}

// line sets what is shown of a type.
func line[T any](show func(d *detail, of T)) {
	lines[reflect.TypeFor[T]()] = func(d *detail, of any) { show(d, of.(T)) }
}

// show writes what there is to show of a message, a body or an operation.
func (d *detail) show(of any) {
	if show := lines[reflect.TypeOf(of)]; show != nil {
		show(d, of)
	}
}

func init() {
	line((*detail).game)
	line(func(d *detail, m *wire.PlayerWrapper) { d.game(&m.Player) })
	line(func(d *detail, m *wire.HeaderedPlayerMessage) { d.game(&m.Player) })
	line(func(d *detail, m *wire.Ping) { d.id("from", m.From).num("tick", m.Tick) })
	line(func(d *detail, m *wire.PingReply) { d.id("from", m.From).num("tick", m.Tick) })
	line(func(d *detail, m *wire.Chat) { d.id("from", m.From).to(m.To).name("text", m.Text) })
	line(func(d *detail, m *wire.Voice) { d.id("from", m.From).to(m.To).octets("voice", m.Data) })
	line(func(d *detail, m *wire.Unknown) { d.octets("body", m.Body) })
	line((*detail).extension)
	line(func(d *detail, m *wire.RequestPlayerID) { d.text("flags", m.Flags.String()) })
	line(func(d *detail, m *wire.RequestGroupID) { d.text("flags", m.Flags.String()) })
	line(func(d *detail, m *wire.AddForwardAck) { d.id("id", m.ID) })
	line(func(d *detail, m *wire.AddForwardReply) { d.text("error", m.Error.String()) })
	line(func(d *detail, m *wire.AuthError) { d.text("error", m.Error.String()) })
	line(func(d *detail, m *wire.IAmNameServer) {
		d.id("host", m.Host).text("flags", m.Flags.String()).sockets(m.SPData)
	})
	line(func(d *detail, m *wire.EnumSessions) {
		d.text("app", m.Application.String()).text("flags", m.Flags.String()).name("password", m.Password)
	})
	line(func(d *detail, m *wire.EnumSessionsReply) {
		d.desc(&m.Desc, m.Name).text("app", m.Desc.Application.String()).text("instance", m.Desc.Instance.String())
	})
	line(func(d *detail, m *wire.SessionDescChanged) { d.desc(&m.Desc, m.Name).name("password", m.Password) })
	line(func(d *detail, m *wire.SuperEnumPlayersReply) {
		d.desc(&m.Desc, m.Name)
		d.entries("player", m.Players)
		d.entries("group", m.Groups)
		d.entries("shortcut", m.Shortcuts)
	})
	line(func(d *detail, m *wire.EnumPlayersReply) {
		d.desc(&m.Desc, m.Name)
		for i := range m.Players {
			d.id("player", m.Players[i].ID)
		}
		for i := range m.Groups {
			d.id("group", m.Groups[i].ID)
		}
	})
	line(func(d *detail, m *wire.RequestPlayerReply) {
		d.id("id", m.ID)
		if m.Result != wire.OK {
			d.text("result", m.Result.String())
		}
		d.name("sspi", m.SSPIProvider).name("capi", m.CAPIProvider)
	})
	line(func(d *detail, m *wire.AddForwardRequest) {
		d.packed("player", &m.Info)
		if len(m.Password) > 2 {
			d.name("password", m.Password)
		}
	})
	line(func(d *detail, m *wire.AddForward) { d.packed("player", &m.Info) })
	line(func(d *detail, m *wire.CreatePlayer) { d.packed("player", &m.Info) })
	line(func(d *detail, m *wire.CreatePlayerVerify) { d.packed("player", &m.Info) })
	line(func(d *detail, m *wire.CreateGroup) { d.packed("group", &m.Info) })
	line(func(d *detail, m *wire.DeletePlayer) { d.id("player", m.Player) })
	line(func(d *detail, m *wire.DeleteGroup) { d.id("group", m.Group) })
	line(func(d *detail, m *wire.AddPlayerToGroup) { d.id("player", m.Player).id("group", m.Group) })
	line(func(d *detail, m *wire.DeletePlayerFromGroup) { d.id("player", m.Player).id("group", m.Group) })
	line(func(d *detail, m *wire.AddShortcutToGroup) { d.id("child", m.Child).id("parent", m.Parent) })
	line(func(d *detail, m *wire.DeleteGroupFromGroup) { d.id("child", m.Child).id("parent", m.Parent) })
	line(func(d *detail, m *wire.PlayerDataChanged) { d.id("player", m.Player).octets("data", m.Data) })
	line(func(d *detail, m *wire.GroupDataChanged) { d.id("group", m.Group).octets("data", m.Data) })
	line(func(d *detail, m *wire.PlayerNameChanged) {
		d.id("player", m.Player).name("short", m.ShortName).name("long", m.LongName)
	})
	line(func(d *detail, m *wire.GroupNameChanged) {
		d.id("group", m.Group).name("short", m.ShortName).name("long", m.LongName)
	})
	line(func(d *detail, m *wire.Ask4Multicast) { d.multicast(m.From, m.Group, &m.Inner) })
	line(func(d *detail, m *wire.Ask4MulticastGuaranteed) { d.multicast(m.From, m.Group, &m.Inner) })
	line(func(d *detail, m *wire.MulticastDelivery) { d.multicast(m.From, m.Group, &m.Inner) })
	line(func(d *detail, m *wire.Packet) { d.fragment(m.ID, m.Index, m.Total, m.Offset, m.MessageSize, &m.Data) })
	line(func(d *detail, m *wire.Packet2Data) {
		d.fragment(m.ID, m.Index, m.Total, m.Offset, m.MessageSize, &m.Data)
	})
	line(func(d *detail, m *wire.Packet2Ack) { d.text("message", m.ID.String()).num("packet", m.Index) })
	line(func(d *detail, m *wire.Signed) { d.id("from", m.From).text("flags", m.Flags.String()).inner(&m.Inner) })
	line(func(d *detail, m *wire.Negotiate) { d.token(m.From, m.Token) })
	line(func(d *detail, m *wire.Challenge) { d.token(m.From, m.Token) })
	line(func(d *detail, m *wire.ChallengeResponse) { d.token(m.From, m.Token) })
	line(func(d *detail, m *wire.AccessGranted) { d.size("public_key", len(m.PublicKey)) })
	line(func(d *detail, m *wire.KeyExchange) {
		d.size("session_key", len(m.SessionKey)).size("public_key", len(m.PublicKey))
	})
	line(func(d *detail, m *wire.KeyExchangeReply) { d.size("session_key", len(m.SessionKey)) })
}

func (d *detail) key(name string) {
	d.b = append(d.b, ' ')
	d.b = append(d.b, name...)
	d.b = append(d.b, '=')
}

// The methods below write fields and return d, for the next one.

func (d *detail) text(name, value string) *detail {
	if !d.partial || value != "0" && value != zeroGUID && value != wire.OK.String() {
		d.key(name)
		d.b = append(d.b, value...)
	}
	return d
}

func (d *detail) num(name string, v uint32) *detail {
	if !d.partial || v != 0 {
		d.key(name)
		d.b = appendDecimal(d.b, v)
	}
	return d
}

// count writes a number that is not zero.
func (d *detail) count(name string, n int) *detail {
	if n != 0 {
		d.num(name, uint32(n))
	}
	return d
}

// of writes two numbers, as in "3/8".
func (d *detail) of(name string, v, total uint32) *detail {
	if !d.partial || total != 0 {
		d.key(name)
		d.b = append(appendDecimal(d.b, v), '/')
		d.b = appendDecimal(d.b, total)
	}
	return d
}

func (d *detail) id(name string, id wire.PlayerID) *detail {
	if !d.partial || id != 0 {
		d.key(name)
		d.b = AppendID(d.b, d.s, id)
	}
	return d
}

// to writes an addressee: a player, a group, or everybody.
func (d *detail) to(id wire.PlayerID) *detail {
	if id == wire.IDAll && !d.partial {
		return d.text("to", "all")
	}
	return d.id("to", id)
}

func (d *detail) name(name string, t wire.Text) *detail {
	if t != nil {
		d.key(name)
		text, more := captures.Cut(t.String(), captures.ShownText)
		d.b = append(strconv.AppendQuote(d.b, text), more...)
	}
	return d
}

func (d *detail) size(name string, n int) *detail {
	if !d.partial || n != 0 {
		d.num(name, uint32(n))
		d.b = append(d.b, " octets"...)
	}
	return d
}

// octets writes the number of octets and the first of them.
func (d *detail) octets(name string, p []byte) *detail {
	d.size(name, len(p))
	if len(p) == 0 || d.payload == PayloadNone {
		return d
	}
	head := p[:min(len(p), linePayload[d.payload])]
	more := len(head) < len(p)
	d.b = appendPayload(append(d.b, ' '), head, d.payload, more)
	if more {
		d.b = append(d.b, "..."...)
	}
	if d.payload == PayloadHex {
		d.b = appendBeside(d.b, head, more)
	}
	return d
}

func (d *detail) game(m *wire.PlayerMessage) {
	if !m.NoIDs {
		d.id("from", m.From).to(m.To)
	}
	d.octets("payload", m.Payload)
}

func (d *detail) desc(s *wire.SessionDesc, name wire.Text) *detail {
	return d.name("session", name).text("flags", s.Flags.String()).of("players", s.CurrentPlayers, s.MaxPlayers)
}

func (d *detail) packed(what string, p *wire.PackedPlayer) {
	d.id(what, p.ID).text("flags", p.Flags.String()).sockets(p.SPData)
	if len(p.Data) > 0 {
		d.octets("data", p.Data)
	}
}

func (d *detail) entries(what string, list []wire.SuperPackedPlayer) {
	for i := range list {
		d.id(what, list[i].ID)
		d.b = append(d.b, '(')
		d.b = append(d.b, list[i].Flags.String()...)
		d.b = append(d.b, ')')
	}
}

// sockets writes where a player's machine listens.
func (d *detail) sockets(data []byte) {
	if sp, ok := wire.ParseSPData(data); ok {
		d.text("tcp", sp.Stream.String()).text("udp", sp.Datagram.String())
	}
}

func (d *detail) multicast(from, group wire.PlayerID, in *wire.Inner) {
	d.id("from", from).id("group", group).inner(in)
}

// inner writes a message inside the message, in braces.
func (d *detail) inner(in *wire.Inner) {
	if in.Message == nil {
		d.octets("message", in.Octets)
		return
	}
	d.b = append(d.b, " {"...)
	d.b = append(d.b, captures.CommandName(in.Message)...)
	d.show(in.Message)
	d.b = append(d.b, '}')
}

func (d *detail) fragment(id wire.GUID, index, total, offset, size uint32, in *wire.Inner) {
	d.text("message", id.String()).of("fragment", index, total).num("offset", offset).num("of", size)
	if in.Message != nil {
		d.inner(in)
	} else {
		d.octets("data", in.Octets)
	}
}

func (d *detail) token(from wire.PlayerID, token []byte) {
	d.id("from", from).size("token", len(token))
}
