package doctor

import (
	"errors"
	"net/netip"

	"dplay4/captures"
	"dplay4/wire"
)

// A collector makes a case of a capture.
type collector struct {
	Case
	asks      map[askKey]*Ask
	offers    map[offerKey]*Offer
	dials     map[dialKey]*Dial
	tuples    map[[2]netip.AddrPort]*Dial // asked for, not yet answered
	listeners map[netip.AddrPort]bool
	sockets   map[netip.AddrPort]netip.AddrPort // from a UDP socket to its machine's listener
	addresses map[addressKey]bool
	pings     map[[2]netip.AddrPort]*pings
	allPings  []*pings                // in the order of the file
	pinged    map[netip.Addr][]*pings // by who is pinged
	reigns    map[wire.GUID]*Reign    // the present one of each session
	reigned   map[reigning]bool
	broken    map[brokenKey]*Broken
	strangers map[netip.AddrPort]*Stranger
	dead      map[[2]netip.AddrPort]*Dead
	instances map[wire.GUID]bool
	joining   map[netip.AddrPort]*Join // the latest of each joiner
	conns     map[netip.AddrPort]*Join // by the joiner's connection
	told      map[telling]*Forward
	denied    map[netip.AddrPort][]*Refusal // those of players, of a machine that got none since
	rooms     map[wire.GUID]*room           // of each session, by its instance
	waiting   map[netip.AddrPort][]*Forward // those that a member has not confirmed, the oldest first
}

func newCollector(opt Options) *collector {
	return &collector{
		Case: Case{game: opt.Game, lives: map[netip.AddrPort]*life{}, homes: map[netip.Addr]int{},
			hosts: map[hosting]bool{}, wants: map[wanting]bool{}, names: map[netip.AddrPort]string{}},
		asks: map[askKey]*Ask{}, offers: map[offerKey]*Offer{}, dials: map[dialKey]*Dial{},
		tuples: map[[2]netip.AddrPort]*Dial{}, listeners: map[netip.AddrPort]bool{},
		sockets: map[netip.AddrPort]netip.AddrPort{}, addresses: map[addressKey]bool{},
		pings: map[[2]netip.AddrPort]*pings{}, pinged: map[netip.Addr][]*pings{}, reigns: map[wire.GUID]*Reign{}, reigned: map[reigning]bool{}, broken: map[brokenKey]*Broken{},
		strangers: map[netip.AddrPort]*Stranger{}, dead: map[[2]netip.AddrPort]*Dead{}, instances: map[wire.GUID]bool{},
		joining: map[netip.AddrPort]*Join{}, conns: map[netip.AddrPort]*Join{}, told: map[telling]*Forward{}, waiting: map[netip.AddrPort][]*Forward{},
		denied: map[netip.AddrPort][]*Refusal{}, rooms: map[wire.GUID]*room{},
	}
}

// mark gives the place of a record.
func mark(r *captures.Record) Mark {
	m := Mark{N: r.N, Time: r.Time, Message: r.Command()}
	if n := len(r.Frames); n > 0 {
		m.Frame = r.Frames[n-1]
	}
	return m
}

// record takes the next message.
func (c *collector) record(r *captures.Record) error {
	m := mark(r)
	if c.Begin.IsZero() {
		c.Begin = r.Time
	}
	if s := r.Session; s != nil && !s.Instance.IsZero() && len(c.instances) < maxFacts {
		c.instances[s.Instance] = true
	}
	from := c.sender(r)
	c.heard(r, from, m)
	if r.Transport == captures.TCP {
		c.used(r)
		if j := c.conns[r.Src]; j != nil {
			j.LastSeen = m
		}
		if j := c.joining[from]; j != nil && j.List.Frame > 0 {
			j.After++
		}
	}
	c.losses(r, m)
	if r.Err != nil {
		c.malformed(r, m, from)
	}
	if e := &r.Envelope; e.HasSP && e.System {
		c.header(r, m)
	}
	c.count(r)
	c.message(r, m, from)
	return nil
}

// sender gives the listener of the machine that sent a message.
func (c *collector) sender(r *captures.Record) netip.AddrPort {
	if r.Envelope.HasSP {
		at := netip.AddrPortFrom(r.Src.Addr(), r.Envelope.SP.SockAddr.Port)
		if r.Transport == captures.UDP && len(c.sockets) < maxListeners && r.Envelope.System {
			c.sockets[r.Src] = at
		}
		return at
	}
	if at, ok := c.sockets[r.Src]; ok {
		return at
	}
	return r.Src
}

// listen notes that a socket speaks DirectPlay.
func (c *collector) listen(at netip.AddrPort) {
	if len(c.listeners) < maxListeners {
		c.listeners[at] = true
	}
}

// message takes what rules ask about from a message.
func (c *collector) message(r *captures.Record, m Mark, from netip.AddrPort) {
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
		c.joinRequest(m, from)
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
	case *wire.YouAreDead:
		c.youAreDead(r, m, from)
	case *wire.PlayerMessage:
		c.gameMessage(r, m, from)
	}
}

// malformed takes a message that does not decode.
func (c *collector) malformed(r *captures.Record, m Mark, from netip.AddrPort) {
	k := brokenKey{from, r.Dst, m.Message}
	if b := c.broken[k]; b != nil {
		b.Count++
		return
	}
	if len(c.Broken) >= maxFacts {
		return
	}
	b := &Broken{Mark: m, From: from, To: r.Dst, Text: r.Err.Error(), Count: 1}
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
func (c *collector) gameMessage(r *captures.Record, m Mark, from netip.AddrPort) {
	a, b, ok := r.FromTo()
	if !ok || r.Transport != captures.TCP || b == wire.IDAll || r.Session.Player(a) != nil || r.Session.Player(b) != nil {
		return
	}
	if c.joining[from] == nil && c.joining[r.Dst] == nil {
		return // the capture began after the players were announced
	}
	if s := c.strangers[from]; s != nil {
		s.Count++
		return
	}
	if len(c.Strangers) < maxFacts {
		s := &Stranger{Mark: m, Machine: from, From: a, To: b, Count: 1}
		c.strangers[from] = s
		c.Strangers = append(c.Strangers, s)
	}
}

// youAreDead takes the news that a machine is in no session any more.
func (c *collector) youAreDead(r *captures.Record, m Mark, from netip.AddrPort) {
	k := [2]netip.AddrPort{from, r.Dst}
	if d := c.dead[k]; d != nil {
		d.Count++
		return
	}
	if len(c.Dead) < maxFacts {
		d := &Dead{Mark: m, By: from, Machine: r.Dst, Count: 1}
		c.dead[k] = d
		c.Dead = append(c.Dead, d)
	}
}

// losses takes what the capture lacks of a message.
func (c *collector) losses(r *captures.Record, m Mark) {
	for i := range r.Findings {
		c.loss(&r.Findings[i], m)
	}
}

// finding takes a finding that belongs to no message.
func (c *collector) finding(f *captures.Finding) { c.loss(f, Mark{Frame: f.Frame}) }

func (c *collector) loss(f *captures.Finding, m Mark) {
	switch f.Code {
	case captures.OctetsLost, captures.FragmentsMissing, captures.FileDamaged, captures.FragmentsIncomplete, captures.ReliableIncomplete:
	default:
		return
	}
	if len(c.Losses) < maxFacts {
		c.Losses = append(c.Losses, &Loss{Mark: m, Code: f.Code, Text: f.Text})
	}
}
