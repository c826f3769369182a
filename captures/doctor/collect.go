package doctor

import (
	"errors"
	"net/netip"
	"slices"

	"dplay4/captures"
	"dplay4/wire"
)

// A collector makes a case of a capture.
type collector struct {
	facts
	asks       map[askKey]*ask
	offers     map[offerKey]*offer
	dials      map[dialKey]*dial
	tuples     map[[2]netip.AddrPort]*dial // asked for, not yet answered
	listeners  map[netip.AddrPort]bool
	addresses  map[addressKey]bool
	pings      map[[2]netip.AddrPort]*pings
	allPings   []*pings                // in the order of the file
	pinged     map[netip.Addr][]*pings // by who is pinged
	reigns     map[wire.GUID]*reign    // the present one of each session
	reigned    map[reigning]bool
	broken     map[brokenKey]*broken
	strangers  map[netip.AddrPort]*stranger
	dead       map[[2]netip.AddrPort]*dead
	instances  map[wire.GUID]bool
	joining    map[netip.AddrPort]*join // the latest of each joiner
	conns      map[netip.AddrPort]*join // by the joiner's connection
	told       map[telling]*forward
	denied     map[netip.AddrPort][]*refusal // those of players, of a machine that got none since
	bends      map[bentKey]*bent
	foreigners map[foreignKey]*foreign
	rooms      map[wire.GUID]*room         // of each session, by its instance
	allRooms   []*room                     // in the order of the file
	flows      map[[2]netip.AddrPort]*flow // connections, from the sender of messages to their addressee
	streamed   map[[2]netip.Addr]bool
	wanted     map[netip.AddrPort][]idRequest // those of a machine that the host has not answered, the oldest first
	idRequests int                            // how many they are
	born       map[wire.PlayerID]*birth       // the latest of each id
	bornOn     map[[2]netip.AddrPort][]*birth // by the connection that the id was asked for on
	waiting    map[netip.AddrPort][]*forward  // ADDFORWARD messages that a member has not acknowledged, the oldest first
	kinds      map[kindKey]*kind
	runs       map[runKey]*run
	checks     map[runKey]mark // the last one of a leader and a member
	unheard    map[runKey]*unheard
	segments   map[streamKey]*segment
	lastFrom   map[netip.Addr]int // the last frame of each address
}

func newCollector(opt Options) *collector {
	return &collector{
		facts: facts{game: opt.Game, lives: map[netip.AddrPort]*life{}, homes: map[netip.Addr]int{},
			hosts: map[hosting]bool{}, wants: map[wanting]bool{}, names: map[netip.AddrPort]string{}},
		asks: map[askKey]*ask{}, offers: map[offerKey]*offer{}, dials: map[dialKey]*dial{},
		tuples: map[[2]netip.AddrPort]*dial{}, listeners: map[netip.AddrPort]bool{},
		addresses: map[addressKey]bool{},
		pings:     map[[2]netip.AddrPort]*pings{}, pinged: map[netip.Addr][]*pings{}, reigns: map[wire.GUID]*reign{}, reigned: map[reigning]bool{}, broken: map[brokenKey]*broken{},
		strangers: map[netip.AddrPort]*stranger{}, dead: map[[2]netip.AddrPort]*dead{}, instances: map[wire.GUID]bool{},
		joining: map[netip.AddrPort]*join{}, conns: map[netip.AddrPort]*join{}, told: map[telling]*forward{}, waiting: map[netip.AddrPort][]*forward{},
		denied: map[netip.AddrPort][]*refusal{}, rooms: map[wire.GUID]*room{},
		flows: map[[2]netip.AddrPort]*flow{}, bends: map[bentKey]*bent{}, foreigners: map[foreignKey]*foreign{},
		kinds: map[kindKey]*kind{}, streamed: map[[2]netip.Addr]bool{}, runs: map[runKey]*run{}, checks: map[runKey]mark{}, unheard: map[runKey]*unheard{},
		segments: map[streamKey]*segment{}, lastFrom: map[netip.Addr]int{},
		wanted: map[netip.AddrPort][]idRequest{}, born: map[wire.PlayerID]*birth{}, bornOn: map[[2]netip.AddrPort][]*birth{},
	}
}

// mark returns the place of a record.
func markOf(r *captures.Record) mark {
	m := mark{N: r.N, Time: r.Time, Message: r.Command()}
	if n := len(r.Frames); n > 0 {
		m.Frame = r.Frames[n-1]
	}
	return m
}

// record takes the next message.
func (c *collector) record(r *captures.Record) error {
	m := markOf(r)
	if c.Begin.IsZero() {
		c.Begin = r.Time
	}
	c.Known = c.Known || r.Envelope.HasSP || r.Session != nil || r.Transport == captures.TCP
	if s := r.Session; s != nil && !s.Instance.IsZero() && len(c.instances) < maxFacts {
		c.instances[s.Instance] = true
	}
	from := r.From.At
	c.heard(r, from, m)
	c.datagram(r, m, from)
	if r.Transport == captures.TCP {
		c.used(r)
		c.flow(r, m)
		if j := c.conns[r.Src]; j != nil {
			j.LastSeen = m
		}
		if j := c.joining[from]; j != nil && j.List.Frame > 0 {
			j.After++
		}
	}
	c.losses(r, m)
	c.frame(r, m)
	if r.Err != nil && !frameError(r) {
		c.malformed(r, m, from)
	}
	if e := &r.Envelope; e.HasSP && e.System() {
		c.header(r, m)
	}
	c.count(r, m, from)
	c.message(r, m, from)
	c.players(r, m, from)
	return nil
}

// listen notes that a socket speaks DirectPlay.
func (c *collector) listen(at netip.AddrPort) {
	if len(c.listeners) < maxListeners {
		c.listeners[at] = true
	}
}

// message takes what rules ask about from a message.
func (c *collector) message(r *captures.Record, m mark, from netip.AddrPort) {
	switch x := r.Envelope.Message.(type) {
	case *wire.EnumSessions:
		c.ask(r, m, from, x)
	case *wire.EnumSessionsReply:
		c.offer(r, m, from, x)
	case *wire.RequestPlayerID:
		if x.Flags&wire.PlayerSystem != 0 {
			c.joinAsked(r, m, from)
		}
	case *wire.RequestPlayerReply:
		c.idReply(r, m, from, x)
	case *wire.AddForwardRequest:
		c.joinRequest(m, from, x)
		c.packed(r, m, from, &x.Info, true)
	case *wire.AddForwardReply:
		c.refusal(r, m, from, "Error", x.Error, true)
	case *wire.AuthError:
		c.refusal(r, m, from, "Error", x.Error, true)
	case *wire.LogonDenied:
		c.refusal(r, m, from, "", wire.ErrLogonDenied, true)
	case *wire.SuperEnumPlayersReply:
		c.list(r, m, from)
		c.superList(r, m, from, x)
	case *wire.EnumPlayersReply:
		c.list(r, m, from)
		for i := range x.Players {
			c.packed(r, m, from, &x.Players[i], false)
		}
	case *wire.AddForward:
		c.forward(r, m, from, x)
		c.packed(r, m, from, &x.Info, false)
	case *wire.AddForwardAck:
		c.ack(from, x.ID)
	case *wire.CreatePlayer:
		c.packed(r, m, from, &x.Info, true)
	case *wire.CreatePlayerVerify:
		c.packed(r, m, from, &x.Info, true)
	case *wire.IAmNameServer:
		c.spData(r, m, x.SPData, "SPData", true)
		c.acts(r, m, from, true)
	case *wire.Extension:
		c.extension(r, m, from, x)
	case *wire.Ping:
		c.ping(r, m, from)
	case *wire.DeletePlayer:
		c.deleted(r, m, from, x)
	case *wire.YouAreDead:
		c.youAreDead(r, m, from)
	case *wire.PlayerMessage:
		c.gameMessage(r, m, from)
	}
}

// malformed takes a message that does not decode.
func (c *collector) malformed(r *captures.Record, m mark, from netip.AddrPort) {
	k := brokenKey{from, r.To.At, m.Message}
	if r.Transport == captures.TCP && r.Command() == wire.CmdPlayerMessage.String() && (r.Session == nil || r.Session.Instance.IsZero()) {
		return // the capture began after the session was described, whose messages may have no ids
	}
	if b := c.broken[k]; b != nil {
		b.Count++
		return
	}
	if len(c.Broken) >= maxFacts {
		return
	}
	b := &broken{mark: m, From: from, To: r.To.At, Text: r.Err.Error(), Count: 1}
	errors.As(r.Err, &b.Err)
	c.broken[k] = b
	c.Broken = append(c.Broken, b)
}

// A brokenKey is a kind of message between two machines.
type brokenKey struct {
	from, to netip.AddrPort
	command  string
}

// gameMessage takes a game message between players that nobody announced, in a session whose players are known.
func (c *collector) gameMessage(r *captures.Record, m mark, from netip.AddrPort) {
	a, b, ok := r.FromTo()
	if !ok || r.Transport != captures.TCP || b == wire.IDAll || r.Session.Player(a) != nil || r.Session.Player(b) != nil {
		return
	}
	if c.joining[from] == nil && c.joining[r.To.At] == nil {
		return // the capture began after the players were announced
	}
	if s := c.strangers[from]; s != nil {
		s.Count++
		return
	}
	if len(c.Strangers) < maxFacts {
		s := &stranger{mark: m, Machine: from, From: a, To: b, Count: 1}
		c.strangers[from] = s
		c.Strangers = append(c.Strangers, s)
	}
}

// youAreDead takes the news that a machine is in no session any more.
func (c *collector) youAreDead(r *captures.Record, m mark, from netip.AddrPort) {
	k := [2]netip.AddrPort{from, r.To.At}
	if d := c.dead[k]; d != nil {
		d.Count++
		return
	}
	if len(c.Dead) < maxFacts {
		d := &dead{mark: m, By: from, Machine: r.To.At, Count: 1}
		c.dead[k] = d
		c.Dead = append(c.Dead, d)
	}
}

// losses takes what the capture lacks of a message.
func (c *collector) losses(r *captures.Record, m mark) {
	for i := range r.Findings {
		c.loss(&r.Findings[i], m)
	}
}

// finding takes a finding that belongs to no message.
func (c *collector) finding(f *captures.Finding) {
	m := mark{Frame: f.Frame}
	c.loss(f, m)
	if (f.Code == captures.OctetsSkipped || f.Code == captures.MessageIncomplete) && f.Src.IsValid() && len(c.Junk) < maxFacts {
		c.Junk = append(c.Junk, &broken{mark: m, From: f.Src, To: f.Dst, Text: f.Text, Count: 1, Short: f.Code == captures.MessageIncomplete})
	}
}

func (c *collector) loss(f *captures.Finding, m mark) {
	switch f.Code {
	case captures.OctetsLost, captures.FragmentsMissing, captures.FileDamaged, captures.FragmentsIncomplete, captures.ReliableIncomplete:
	default:
		return
	}
	if len(c.Losses) < maxFacts {
		c.Losses = append(c.Losses, &loss{mark: m, Code: f.Code, Text: f.Text})
	}
}

// An addressKey tells addresses apart.
type addressKey struct {
	teller, told netip.Addr
	socket       netip.AddrPort
	transport    captures.Transport
	own          bool
}

// header takes the address in a message's SP header.
func (c *collector) header(r *captures.Record, m mark) {
	a := r.Envelope.SP.SockAddr
	c.address(r, m, "SockAddr", a, captures.TCP, true)
}

// packed takes the addresses of a player. own says that the sender tells of itself.
func (c *collector) packed(r *captures.Record, m mark, from netip.AddrPort, p *wire.PackedPlayer, own bool) {
	c.spData(r, m, p.SPData, "SPData", own)
	if p.Flags&wire.PlayerSystem == 0 {
		c.nameOf(r, p.ID, p.ShortName, p.LongName)
	}
	if own {
		c.name(from, p.ShortName, p.LongName)
	}
}

// spData takes the addresses in service provider data.
func (c *collector) spData(r *captures.Record, m mark, data []byte, field string, own bool) {
	d, ok := wire.ParseSPData(data)
	if !ok {
		return
	}
	c.address(r, m, field+".Stream", d.Stream, captures.TCP, own)
	c.address(r, m, field+".Datagram", d.Datagram, captures.UDP, own)
}

// stream returns the listener in service provider data.
func (c *collector) stream(r *captures.Record, data []byte) (netip.AddrPort, bool) {
	d, ok := wire.ParseSPData(data)
	if !ok || d.Stream.Port == 0 {
		return netip.AddrPort{}, false
	}
	return netip.AddrPortFrom(c.resolve(r, d.Stream), d.Stream.Port), true
}

// resolve returns the address that one in a message means: 0.0.0.0 is where the message came from.
func (c *collector) resolve(r *captures.Record, a wire.SockAddr) netip.Addr {
	if ip := netip.AddrFrom4(a.Addr); !ip.IsUnspecified() {
		return ip
	}
	return r.Src.Addr()
}

func (c *collector) address(r *captures.Record, m mark, field string, a wire.SockAddr, t captures.Transport, own bool) {
	if a.Port == 0 && a.Addr == [4]byte{} {
		return
	}
	at := netip.AddrPortFrom(netip.AddrFrom4(a.Addr), a.Port)
	if t == captures.TCP {
		c.listen(netip.AddrPortFrom(c.resolve(r, a), a.Port))
	}
	k := addressKey{r.Src.Addr(), r.Dst.Addr(), at, t, own}
	if c.addresses[k] || len(c.Addresses) >= maxFacts {
		return
	}
	c.addresses[k] = true
	c.Addresses = append(c.Addresses, &address{mark: m, Field: field, Transport: t, Teller: r.Src.Addr(), Own: own,
		Told: r.Dst.Addr(), Socket: at})
}

// nameOf remembers what people call the machine of a player.
func (c *collector) nameOf(r *captures.Record, id wire.PlayerID, short, long wire.Text) {
	if p := r.Session.Player(id); p != nil && p.Machine.IsValid() {
		c.name(p.Machine, short, long)
	}
}

// name remembers what people call a machine: its first player.
func (c *collector) name(at netip.AddrPort, short, long wire.Text) {
	n := short.String()
	if n == "" {
		n = long.String()
	}
	if n != "" && c.names[at] == "" && len(c.names) < maxNames {
		c.names[at] = clip(n)
	}
}

// A room is how many players a session has, as far as the capture shows: what its last description says, and who came
// and went since. Hosts describe their session seldom.
type room struct {
	mark         // its last description
	desc         wire.SessionDesc
	name         string
	host         netip.AddrPort
	password     wire.Text // nil: not known
	players, max uint32
	known        map[wire.PlayerID]bool // players that were made; false: gone again
}

// count follows how many players a session has.
func (c *collector) count(r *captures.Record, m mark, from netip.AddrPort) {
	s := r.Session
	switch x := r.Envelope.Message.(type) {
	case *wire.EnumSessionsReply:
		c.describe(m, from, &x.Desc, x.Name, nil)
	case *wire.SuperEnumPlayersReply:
		c.describe(m, from, &x.Desc, x.Name, x.Password)
	case *wire.EnumPlayersReply:
		c.describe(m, from, &x.Desc, x.Name, x.Password)
	case *wire.SessionDescChanged:
		c.describe(m, from, &x.Desc, x.Name, x.Password)
	case *wire.CreatePlayer:
		if s == nil || x.Info.Flags&wire.PlayerSystem != 0 {
			return
		}
		h := c.rooms[s.Instance]
		if h == nil || len(h.known) >= maxFacts {
			return
		}
		if _, told := h.known[x.Player]; !told { // each member is told
			h.known[x.Player] = true
			h.players++
		}
	case *wire.DeletePlayer:
		if s == nil {
			return
		}
		if h := c.rooms[s.Instance]; h != nil && h.known[x.Player] && h.players > 0 {
			h.known[x.Player] = false
			h.players--
		}
	}
}

// describe takes what a description says of the room.
func (c *collector) describe(m mark, from netip.AddrPort, d *wire.SessionDesc, name, password wire.Text) {
	h := c.rooms[d.Instance]
	if h == nil {
		if len(c.rooms) >= maxFacts {
			return
		}
		h = &room{known: map[wire.PlayerID]bool{}}
		c.rooms[d.Instance] = h
		c.allRooms = append(c.allRooms, h)
	}
	h.mark, h.host, h.desc, h.name = m, from, *d, clip(name.String())
	if password.String() != "" && len(password) <= maxPassword {
		h.password = slices.Clone(password)
	}
	h.players, h.max = d.CurrentPlayers, d.MaxPlayers
}
