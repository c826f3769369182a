package show

import (
	"strconv"

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
	d := detail{b: b, s: r.Session, payload: payload}
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
	d.message(r.Envelope.Message)
	for i := range r.Findings {
		if r.Findings[i].Code == captures.MessageMalformed {
			d.b = append(d.b, "  ! "...)
			d.b = append(d.b, r.Findings[i].Text...)
		}
	}
	return d.b
}

// message writes the fields of a message.
func (d *detail) message(m wire.Message) {
	switch m := m.(type) {
	case *wire.PlayerMessage:
		d.game(m)
	case *wire.PlayerWrapper:
		d.game(&m.Player)
	case *wire.HeaderedPlayerMessage:
		d.game(&m.Player)
	case *wire.Ping:
		d.id("from", m.From).num("tick", m.Tick)
	case *wire.PingReply:
		d.id("from", m.From).num("tick", m.Tick)
	case *wire.Chat:
		d.id("from", m.From).to(m.To).name("text", m.Text)
	case *wire.Voice:
		d.id("from", m.From).to(m.To).octets("voice", m.Data)
	case *wire.Unknown:
		d.octets("body", m.Body)
	case *wire.Extension:
		d.extension(m)
	case *wire.RequestPlayerID:
		d.text("flags", m.Flags.String())
	case *wire.RequestGroupID:
		d.text("flags", m.Flags.String())
	case *wire.AddForwardAck:
		d.id("id", m.ID)
	case *wire.AddForwardReply:
		d.text("error", m.Error.String())
	case *wire.AuthError:
		d.text("error", m.Error.String())
	case *wire.IAmNameServer:
		d.id("host", m.Host).text("flags", m.Flags.String()).sockets(m.SPData)
	case *wire.EnumSessions:
		d.text("app", m.Application.String()).text("flags", m.Flags.String()).name("password", m.Password)
	case *wire.EnumSessionsReply:
		d.desc(&m.Desc, m.Name).text("app", m.Desc.Application.String()).text("instance", m.Desc.Instance.String())
	case *wire.SessionDescChanged:
		d.desc(&m.Desc, m.Name).name("password", m.Password)
	case *wire.SuperEnumPlayersReply:
		d.desc(&m.Desc, m.Name)
		d.entries("player", m.Players)
		d.entries("group", m.Groups)
		d.entries("shortcut", m.Shortcuts)
	case *wire.EnumPlayersReply:
		d.desc(&m.Desc, m.Name)
		for i := range m.Players {
			d.id("player", m.Players[i].ID)
		}
		for i := range m.Groups {
			d.id("group", m.Groups[i].ID)
		}
	case *wire.RequestPlayerReply:
		d.id("id", m.ID)
		if m.Result != wire.OK {
			d.text("result", m.Result.String())
		}
		d.name("sspi", m.SSPIProvider).name("capi", m.CAPIProvider)
	case *wire.AddForwardRequest:
		d.packed("player", &m.Info)
		if len(m.Password) > 2 {
			d.name("password", m.Password)
		}
	case *wire.AddForward:
		d.packed("player", &m.Info)
	case *wire.CreatePlayer:
		d.packed("player", &m.Info)
	case *wire.CreatePlayerVerify:
		d.packed("player", &m.Info)
	case *wire.CreateGroup:
		d.packed("group", &m.Info)
	case *wire.DeletePlayer:
		d.id("player", m.Player)
	case *wire.DeleteGroup:
		d.id("group", m.Group)
	case *wire.AddPlayerToGroup:
		d.id("player", m.Player).id("group", m.Group)
	case *wire.DeletePlayerFromGroup:
		d.id("player", m.Player).id("group", m.Group)
	case *wire.AddShortcutToGroup:
		d.id("child", m.Child).id("parent", m.Parent)
	case *wire.DeleteGroupFromGroup:
		d.id("child", m.Child).id("parent", m.Parent)
	case *wire.PlayerDataChanged:
		d.id("player", m.Player).octets("data", m.Data)
	case *wire.GroupDataChanged:
		d.id("group", m.Group).octets("data", m.Data)
	case *wire.PlayerNameChanged:
		d.id("player", m.Player).name("short", m.ShortName).name("long", m.LongName)
	case *wire.GroupNameChanged:
		d.id("group", m.Group).name("short", m.ShortName).name("long", m.LongName)
	case *wire.Ask4Multicast:
		d.multicast(m.From, m.Group, &m.Inner)
	case *wire.Ask4MulticastGuaranteed:
		d.multicast(m.From, m.Group, &m.Inner)
	case *wire.MulticastDelivery:
		d.multicast(m.From, m.Group, &m.Inner)
	case *wire.Packet:
		d.fragment(m.ID, m.Index, m.Total, m.Offset, m.MessageSize, &m.Data)
	case *wire.Packet2Data:
		d.fragment(m.ID, m.Index, m.Total, m.Offset, m.MessageSize, &m.Data)
	case *wire.Packet2Ack:
		d.text("message", m.ID.String()).num("packet", m.Index)
	case *wire.Signed:
		d.id("from", m.From).text("flags", m.Flags.String()).inner(&m.Inner)
	case *wire.Negotiate:
		d.token(m.From, m.Token)
	case *wire.Challenge:
		d.token(m.From, m.Token)
	case *wire.ChallengeResponse:
		d.token(m.From, m.Token)
	case *wire.AccessGranted:
		d.size("public_key", len(m.PublicKey))
	case *wire.KeyExchange:
		d.size("session_key", len(m.SessionKey)).size("public_key", len(m.PublicKey))
	case *wire.KeyExchangeReply:
		d.size("session_key", len(m.SessionKey))
	}
}

func (d *detail) key(name string) {
	d.b = append(d.b, ' ')
	d.b = append(d.b, name...)
	d.b = append(d.b, '=')
}

var resultOK = wire.OK.String()

// begin writes the key of a field, and reports whether the field is written.
func (d *detail) begin(name string, zero bool) bool {
	if d.partial && zero {
		return false
	}
	d.key(name)
	return true
}

// The methods below write fields and return d, for the next one.

func (d *detail) text(name, value string) *detail {
	if d.begin(name, value == "0" || value == zeroGUID || value == resultOK) {
		d.b = append(d.b, value...)
	}
	return d
}

func (d *detail) num(name string, v uint32) *detail {
	if d.begin(name, v == 0) {
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
	if d.begin(name, total == 0) {
		d.b = append(appendDecimal(d.b, v), '/')
		d.b = appendDecimal(d.b, total)
	}
	return d
}

func (d *detail) id(name string, id wire.PlayerID) *detail {
	if d.begin(name, id == 0) {
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
	if d.begin(name, n == 0) {
		d.b = append(appendDecimal(d.b, uint32(n)), " octets"...)
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
	d.message(in.Message)
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
