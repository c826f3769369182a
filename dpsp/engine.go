package dpsp

import (
	"math/rand/v2"
	"net/netip"
	"time"

	"dplay4/hostmigrate"
	"dplay4/hostmigrate/object"
	"dplay4/pingtimer"
	"dplay4/playerlist"
	"dplay4/wire"
)

// An Engine is one machine's part in one session. It does no input or output and has no clock: tell it what
// happened with Step and do what it answers. It is for one goroutine.
type Engine struct {
	cfg   Config
	rng   *rand.Rand
	out   Output
	buf   []byte // the octets of this step's sends
	dec   wire.Decoder
	now   time.Duration
	state state

	replaying bool // what was held while the list was awaited is taken: the list may have it

	list     *playerlist.List
	ids      *playerlist.IDs // if we are the host
	self     wire.PlayerID   // our system player
	host     wire.PlayerID   // the host's
	machines []*machine      // the others, in order of joining
	pings    *pingtimer.Timer[wire.PlayerID]
	asked    bool // an enumeration of ours was sent: answers are wanted

	past         []wire.PlayerID    // what we were in sessions that we left, lost, or did not get into
	join         *joining           // if state is joinState
	migr         *migration         // the host is gone, and the next one is not known yet
	formers      []former           // machines that were lost
	returners    []returner         // machines that came back
	objects      *object.Table      // nil: there are none in this session
	table        *hostmigrate.Table // nil: we do not know the extension, or it is not for this session
	erased       []erasure          // deleted, and the table's replica does not know
	unlinked     []playerlist.Op    // taken out of a group, and the table's replica does not know
	buried       []burial           // ids whose owner, or the host, said lately that they are deleted
	back         *rejoining         // after coming back: what we remember
	auditAt      time.Duration      // when our list is compared with the replica next
	auditedAt    uint32             // the replica's version at that time
	audited      []string           // what differed the last time, in order
	secret       wire.GUID          // of the session; zero: not known
	mergedFrom   wire.PlayerID      // the last rival whose machines came over
	challenged   netip.AddrPort     // who was asked to claim the session once more
	challengedID wire.PlayerID      // as whom
	challengedAt time.Duration
	rival        wire.PlayerID     // another host of this session; 0: none known
	requests     []*request        // for ids, in order; the first one is with the host
	admits       []*admission      // newcomers, if we are the host
	promises     []promise         // ids given to members, likewise
	players      uint64            // how many of ours were announced
	verify       []recent          // players of ours that CREATEPLAYERVERIFY may have to name
	options      wire.SessionFlags // of the session
	mine         []wire.PlayerID   // our players, as of version mineAt of the list
	mineAt       uint32
	scratch      []wire.PlayerID
	refused      uint64 // how many messages were dropped
	large        map[wire.GUID]*outgoing
	largeIDs     []wire.GUID // its keys, in order
	parts        assembly
	early        waiting // messages that overtook what they need
	asking       *asking // a request for the list of a session that we are not in
}

// A state is where the engine stands.
type state uint8

const (
	idle      state = iota // in no session
	joinState              // on the way into one
	member                 // in one, host or not
)

// New gives an engine in no session.
func New(cfg Config) *Engine {
	cfg = cfg.withDefaults()
	e := &Engine{cfg: cfg, rng: rand.New(rand.NewChaCha8(cfg.Seed))}
	e.reset()
	return e
}

// reset forgets the session.
func (e *Engine) reset() {
	if e.self != 0 {
		if e.past = append(e.past, e.self); len(e.past) > maxPast {
			e.past = e.past[1:]
		}
	}
	e.state, e.list, e.ids, e.self, e.host = idle, nil, nil, 0, 0
	e.machines, e.requests, e.admits, e.promises, e.verify, e.join, e.migr = nil, nil, nil, nil, nil, nil, nil
	e.large, e.largeIDs, e.parts, e.early, e.asking = map[wire.GUID]*outgoing{}, nil, assembly{}, waiting{}, nil
	e.pings = e.newPings()
	e.formers, e.returners, e.rival, e.back = nil, nil, 0, nil
	e.auditAt, e.audited, e.auditedAt, e.mergedFrom, e.secret = Never, nil, 0, 0, wire.GUID{}
	e.table, e.objects, e.erased, e.unlinked, e.buried = nil, nil, nil, nil, nil
	e.dec.Options, e.options, e.mine, e.mineAt = wire.Options{}, 0, nil, 0
}

func (e *Engine) newPings() *pingtimer.Timer[wire.PlayerID] {
	return pingtimer.New[wire.PlayerID](pingtimer.Config{Period: e.cfg.Period, Probes: e.cfg.Probes})
}

// Step tells the engine what happened at a time and gives what it wants done. now is any clock that never goes
// back; the Output is valid until the next Step. Nothing that comes over the network makes Step fail: what
// cannot be used is dropped, with an event that says why.
func (e *Engine) Step(now time.Duration, in Input) *Output {
	e.now = max(now, e.now)
	e.out.Sends, e.out.Close, e.out.Events = e.out.Sends[:0], e.out.Close[:0], nil
	e.buf = e.buf[:0]
	switch in.Kind {
	case Stream:
		e.stream(in)
	case Datagram:
		e.datagram(in)
	case StreamClosed:
		e.streamClosed(in.From)
	case Request:
		e.command(in.Command, in.Token)
	}
	e.releaseEarly()
	e.timers()
	e.tableWork()
	e.auditTimer()
	e.tableWork()
	e.objectWork()
	e.claimTimer()
	e.out.Wake = e.wake()
	return &e.out
}

// event tells the program.
func (e *Engine) event(ev Event) { e.out.Events = append(e.out.Events, ev) }

// done answers a command.
func (e *Engine) done(token uint64, id wire.PlayerID, err error) {
	e.event(Done{Token: token, ID: id, Err: err})
}

// drop says that a message was ignored.
func (e *Engine) drop(o origin, command string, r Reason, text string) {
	e.refused++
	e.event(Dropped{From: o.from, Command: command, Reason: r, Text: text})
}

// hosting says whether we are the host.
func (e *Engine) hosting() bool { return e.state == member && e.host == e.self }

// An origin is where a message came from.
type origin struct {
	from     netip.AddrPort // the remote end of the connection, or the source of the datagram
	listener netip.AddrPort // where its sender listens, by its header; invalid without one
	udp      bool
}

// originOf reads an origin from a header. Address 0.0.0.0 is where the packet came from (facts, 1.8).
func originOf(from netip.AddrPort, sp *wire.SPHeader, udp bool) origin {
	return origin{from: from, listener: resolve(sp.SockAddr, from.Addr()), udp: udp}
}

// resolve gives the socket that an address in a message means.
func resolve(a wire.SockAddr, ip netip.Addr) netip.AddrPort {
	if at := netip.AddrFrom4(a.Addr); !at.IsUnspecified() {
		ip = at
	}
	return netip.AddrPortFrom(ip.Unmap(), a.Port)
}

// direct gives the origin with the listener at the address that the packet came from, whatever its header says.
// Answers to strangers go there (3.2.5.3), or anybody could have us call a third machine.
func (o origin) direct() origin {
	o.listener = netip.AddrPortFrom(o.from.Addr().Unmap(), o.listener.Port())
	return o
}

// stream takes a message that came over TCP.
func (e *Engine) stream(in Input) {
	env, err := e.dec.DecodeStream(in.Data)
	o := originOf(in.From, &env.SP, false)
	if err != nil {
		e.malformed(o, &env, err)
		return
	}
	e.envelope(o, &env)
}

// datagram takes a datagram.
func (e *Engine) datagram(in Input) {
	env, err := e.dec.DecodeDatagram(in.Data)
	o := origin{from: in.From, udp: true}
	if env.HasSP {
		o = originOf(in.From, &env.SP, true)
	}
	if err != nil {
		e.malformed(o, &env, err)
		return
	}
	e.envelope(o, &env)
}

func (e *Engine) envelope(o origin, env *wire.Envelope) {
	e.heard(o)
	if !env.System {
		e.game(o, env.Message.(*wire.PlayerMessage), !o.udp)
		return
	}
	e.system(o, env.Version, env.Message)
}

func (e *Engine) malformed(o origin, env *wire.Envelope, err error) {
	name := ""
	if env.Message != nil {
		name = env.Message.Command().String()
	}
	e.drop(o, name, Malformed, err.Error())
}

// system takes a message with a header.
func (e *Engine) system(o origin, version wire.Dialect, m wire.Message) {
	switch m := m.(type) {
	case *wire.EnumSessions:
		e.enumSessions(o, m)
	case *wire.EnumSessionsReply:
		e.enumSessionsReply(o, m)
	case *wire.RequestPlayerID:
		e.requestPlayerID(o, m)
	case *wire.RequestGroupID:
		e.requestGroupID(o, m)
	case *wire.RequestPlayerReply:
		e.requestPlayerReply(o, m)
	case *wire.AddForwardRequest:
		e.addForwardRequest(o, version, m)
	case *wire.AddForward:
		e.addForward(o, m)
	case *wire.AddForwardAck:
		e.addForwardAck(o, m)
	case *wire.AddForwardReply:
		e.addForwardReply(o, m)
	case *wire.SuperEnumPlayersReply:
		e.superEnumPlayersReply(o, m)
	case *wire.EnumPlayersReply:
		e.enumPlayersReply(o, m)
	case *wire.EnumPlayer:
		e.enumPlayer(o)
	case *wire.Ping:
		e.ping(o, m)
	case *wire.PingReply:
		e.pingReply(o, m)
	case *wire.YouAreDead:
		e.youAreDead(o)
	case *wire.IAmNameServer:
		e.iAmNameServer(o, m)
	default:
		e.systemInside(o, version, m)
	}
}

// systemInside takes the messages that only members of a session exchange.
func (e *Engine) systemInside(o origin, version wire.Dialect, m wire.Message) {
	name := m.Command().String()
	if whole(m) {
		e.unwrap(o, m)
		return
	}
	switch {
	case unsupported(m):
		e.drop(o, name, Unsupported, "secure sessions and voice are not supported")
		return
	case e.state == joinState && isClaim(m):
		return // it comes again
	case e.state == joinState && e.join.hold(o, version, m):
		return
	case e.state != member && m.Command() == wire.CmdExtension: // it was under way when we left
		return
	case e.state != member:
		e.drop(o, name, OutOfTurn, "we are in no session")
		return
	case e.holdEarly(o, version, m):
		return
	}
	switch m := m.(type) {
	case *wire.PlayerWrapper:
		e.game(o, &m.Player, !o.udp)
	case *wire.Chat:
		e.chat(o, m)
	case *wire.Ask4Multicast:
		e.askMulticast(o, m.From, m.Group, &m.Inner, false)
	case *wire.Ask4MulticastGuaranteed:
		e.askMulticast(o, m.From, m.Group, &m.Inner, true)
	case *wire.MulticastDelivery:
		if p := e.machineOf(o); e.cfg.Strict && (p == nil || p.system != e.host) {
			e.drop(o, name, NotAllowed, "it is not from the host")
			return
		}
		e.inner(o, &m.Inner)
	case *wire.Packet:
		e.fragment(o, false, fragment{m.ID, m.Index, m.Offset, m.Total, m.MessageSize, m.Data.Octets})
	case *wire.Packet2Data:
		e.fragment(o, true, fragment{m.ID, m.Index, m.Offset, m.Total, m.MessageSize, m.Data.Octets})
	case *wire.Packet2Ack:
		e.packet2Ack(o, m)
	case *wire.Extension:
		e.extension(o, m)
	case *wire.Unknown:
		e.drop(o, name, Unknown, "the specification does not assign this command")
	default:
		e.listChange(o, version, m)
	}
}

// unsupported says whether a message belongs to what we do not do.
func unsupported(m wire.Message) bool {
	switch m.(type) {
	case *wire.Challenge, *wire.AccessGranted, *wire.LogonDenied, *wire.AuthError, *wire.Negotiate, *wire.ChallengeResponse,
		*wire.Signed, *wire.KeyExchange, *wire.KeyExchangeReply, *wire.Voice:
		return true
	}
	return false
}

// inner takes a message that came inside another one.
func (e *Engine) inner(o origin, in *wire.Inner) {
	switch m := in.Message.(type) {
	case nil:
	case *wire.PlayerMessage:
		e.game(o, m, !o.udp)
	default:
		e.system(o, in.Version, m)
	}
}
