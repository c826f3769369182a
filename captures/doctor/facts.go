package doctor

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"time"

	"dplay4/captures"
	"dplay4/wire"
)

// A table keeps the facts of one kind in the order of the file: at most maxFacts. A key finds them again.
type table[K comparable, V any] struct {
	list []*V
	by   map[K]*V
	none V // see get
}

// at returns the fact with a key. If there is none, at stores and returns first. If the table is full, at returns it and does not store it.
func (t *table[K, V]) at(k K, first V) *V {
	v := t.by[k]
	if v == nil {
		v = new(V)
		*v = first
		put(&t.by, k, v, maxFacts)
		add(&t.list, v)
	}
	return v
}

// get returns the fact with a key. If there is none, get returns a zero one, which is zero again after the next call.
func (t *table[K, V]) get(k K) *V {
	if v := t.by[k]; v != nil {
		return v
	}
	t.none = *new(V)
	return &t.none
}

// drop removes the facts for which gone returns true.
func (t *table[K, V]) drop(gone func(*V) bool) {
	maps.DeleteFunc(t.by, func(_ K, v *V) bool { return gone(v) })
	t.list = slices.DeleteFunc(t.list, gone)
}

// put sets a value of a map that may be nil. A map that has most keys gets no other ones.
func put[K comparable, V any](m *map[K]V, k K, v V, most int) {
	if *m == nil {
		*m = map[K]V{}
	}
	if _, known := (*m)[k]; known || len(*m) < most {
		(*m)[k] = v
	}
}

// add appends a fact to a list that has less than maxFacts.
func add[V any](list *[]*V, v *V) {
	if len(*list) < maxFacts {
		*list = append(*list, v)
	}
}

// A mark is a place in a capture.
type mark struct {
	Frame, N int // N is 0 where it is no message
	Time     time.Time
	Message  string
}

// show makes evidence of a mark. The zero mark is no place, and makes none.
func (m mark) show(field, value string) Evidence {
	return pick(m == mark{}, Evidence{}, m.evidence(field, value))
}

// evidence makes evidence of a mark that may be that of the whole file, which is zero.
func (m mark) evidence(field, value string) Evidence {
	return Evidence{Frame: m.Frame, N: m.N, Time: m.Time, Message: m.Message, Field: field, Value: value}
}

// A tally counts something that happened again and again, and has the first mark.
type tally struct {
	mark
	Count int
}

// again counts it once more.
func (t *tally) again(m mark) {
	t.Count++
	t.mark = cmp.Or(t.mark, m)
}

// found returns a finding that has the first time as evidence, and counts the others.
func (t *tally) found(text, field, value string) *Finding {
	return found(text, t.show(field, value)).more(t.Count - 1)
}

// A series counts something that happened again and again, and has the first marks and the last one.
type series struct {
	Marks []mark
	Final mark
	Count int
}

// again counts it once more.
func (s *series) again(m mark) {
	s.Final = m
	if s.Count++; s.Count <= maxPieces {
		s.Marks = append(s.Marks, m)
	}
}

// undo drops the last time, if there was one.
func (s *series) undo() {
	s.Count = max(s.Count-1, 0)
	s.Marks = s.Marks[:min(s.Count, len(s.Marks))]
}

// more returns how many times have no mark.
func (s *series) more() int { return s.Count - len(s.Marks) }

// show makes evidence of the marks.
func (s *series) show(value string) []Evidence {
	return mapped(s.Marks, func(m mark) Evidence { return m.show("", value) })
}

// found returns a finding that has the marks as evidence, and counts the other times.
func (s *series) found(text, value string) *Finding {
	return found(text, s.show(value)...).more(s.more())
}

// A way is a direction of traffic: from one machine to another one, or from one socket to another one.
type way struct{ from, to netip.AddrPort }

// addrs are a direction of traffic between machines that may have several sockets.
type addrs struct{ from, to netip.Addr }

// addrs returns the addresses of a way.
func (w way) addrs() addrs { return addrs{w.from.Addr(), w.to.Addr()} }

// back returns the other direction.
func (w way) back() way { return way{w.to, w.from} }

// facts has the facts of a capture that rules ask about. Machines are named by the socket that they listen on for
// TCP: the address that their packets come from, and the port in their SP headers.
type facts struct {
	Summary *captures.Summary
	Begin   time.Time // of the first message
	End     time.Time // of the last frame
	Known   bool      // a message shows by itself that it is DirectPlay 4's; others are taken for it by the user's word

	Asks       table[askKey, ask]
	Offers     table[offerKey, offer]
	Joins      []*join
	Refusals   []*refusal
	Forwards   []*forward
	Dials      table[dialKey, dial]
	Blocks     table[blockKey, block]
	Addresses  table[addressKey, address]
	Twins      table[[2]wire.PlayerID, twins]
	Silences   []*silence
	Dead       table[way, dead]
	Reigns     []*reign
	Broken     table[brokenKey, broken]
	Junk       []*broken // octets of a connection that are no message, or not a whole one
	Losses     []*loss
	Kinds      table[kindKey, kind] // of packets before the first message
	OtherKinds int                  // packets of more kinds than are remembered
	Deletions  []*deletion
	Resets     []*reset
	Sources    []*source
	Streams    table[addrs, streamed]
	Births     []*birth
	Runs       table[way, run] // the present runs of pings, by the machine that pings and the one that is pinged
	OneWay     []*run          // runs that ended, and whose pings were answered by other datagrams alone
	Deposed    []*deposed
	Unheard    []*unheard
	Segments   table[way, segment] // directions of TCP connections
	Strangers  table[netip.AddrPort, stranger]
	Foreign    table[foreignKey, foreign]
	Bent       table[bentKey, bent]
	vantage    vantage
	rooms      table[wire.GUID, room]

	game     namer
	machines map[netip.AddrPort]*machine // by their listeners
	hosts    map[hosting]bool            // the games that are hosted at an address
	wants    map[wanting]bool            // the games that an asker looks for

	// What settle finds once the whole capture has been read.
	homes    map[netip.Addr]int        // machines at an address that sent a message
	asksBy   map[netip.AddrPort][]*ask // by the asker
	offersTo map[netip.Addr][]*offer   // by the address of the asker
	dialsTo  map[netip.AddrPort][]*dial
	overruns []*broken                  // Junk of a capture that lacks nothing
	unread   []*broken                  // Broken and Junk
	unseen   map[netip.Addr][]*streamed // messages over TCP to addresses that no frame came from
	traffic  []*traffic
	silent   []*ask // see findAsking
	stops    []*stop
	stopped  map[int]bool // frames of the evidence of stops
	stopsN   map[int]bool // messages of the same, and those at which joins stopped
}

// A machine has the facts about one machine.
type machine struct {
	last, talk mark // the last message that it sent, and the last one other than goodbye
	inside     mark // the last message that only machines send which found a session
	name       string
	offers     string      // the name of the session that it offered last
	join       *join       // the latest; nil: none
	wanted     []idRequest // those that the host has not answered, the oldest first
}

// machine returns the facts about a machine. If maxListeners machines are stored, machine returns a new one and does not store it.
func (c *facts) machine(at netip.AddrPort) *machine {
	m := c.machines[at]
	if m == nil {
		m = new(machine)
		put(&c.machines, at, m, maxListeners)
	}
	return m
}

// known returns the facts about a machine, new ones that are not stored if there are none.
func (c *facts) known(at netip.AddrPort) *machine {
	if m := c.machines[at]; m != nil {
		return m
	}
	return new(machine)
}

// joining returns the latest join of a machine, a new one that no list has if there is none.
func (m *machine) joining() *join { return cmp.Or(m.join, new(join)) }

// A hosting is a game that is hosted at an address.
type hosting struct {
	at  netip.Addr
	app wire.GUID
}

// A wanting is a game that an asker looks for.
type wanting struct {
	asker netip.AddrPort
	app   wire.GUID
}

// A room is the present state of a session: its players, its host, and its last description.
type room struct {
	mark      // its last description; zero: there was none
	desc      wire.SessionDesc
	name      string
	describer netip.AddrPort
	in        *captures.Session // whose list has the players that came and went since the description
	unlisted  int64             // players of the description that the list did not have then; negative if the list had more
	password  wire.Text         // nil: not known
	host      *reign            // the present one; nil: not known
	reigned   map[netip.AddrPort]bool
	met       bool // messages belong to it
}

// describe stores a description, and returns the room of its session.
func (c *collector) describe(m *message, d *wire.SessionDesc, name, password wire.Text) *room {
	s := c.rooms.at(d.Instance, room{in: &noSession})
	s.mark, s.describer, s.desc, s.name = m.at, m.from, *d, clip(name.String())
	if password.String() != "" && len(password) <= maxPassword {
		s.password = clonePassword(password)
	}
	s.unlisted = int64(d.CurrentPlayers) - int64(s.in.List().Count())
	return s
}

// players returns how many players are in a session that was described. It counts no system players.
func (s *room) players() uint32 { return uint32(max(s.unlisted+int64(s.in.List().Count()), 0)) }

// clonePassword returns the octets of a password that are remembered.
func clonePassword(p wire.Text) wire.Text {
	return append(wire.Text(nil), p[:min(len(p), maxPassword)]...)
}

// An ask is a question for sessions, ENUMSESSIONS, with its repetitions.
type ask struct {
	series
	askKey
	From    netip.AddrPort // the socket that the first one came from
	Version wire.Dialect
	Hidden  *hiding // a session that it reached, and that did not show itself; nil: none

	answered bool // see facts.answered; settle finds it
	outcome
}

// An outcome is what settle finds of the answers to a question that nobody answered as it should be. Pointers are nil where there is none.
type outcome struct {
	replies    []*dial  // the attempts to connect to where the answer is wanted
	byUDP      []*offer // the answers that came by UDP
	wrongPort  []*offer // those that went to a port that nobody on the asker's machine gave
	wrongDials []*dial  // the attempts to connect to such a port
	others     []*offer // see otherApp
	own        []*offer // see ownGame
	mute       *dial    // the connection of a host that was let in, and sent nothing that can be read
	cut        *broken  // the beginning of an answer that never came to its end
	stream     *ask     // see byStream
	reach      *reach   // see reached
	networks   []string // see otherNetworks
}

// traced reports whether an answer was on its way that went wrong, or was about another game.
func (o *outcome) traced() bool {
	return len(o.replies)+len(o.byUDP)+len(o.wrongPort)+len(o.wrongDials)+len(o.others)+len(o.own) > 0
}

// An askKey identifies a question.
type askKey struct {
	Asker     netip.AddrPort // its listener: the address that the question came from, and the port in its header
	Wants     netip.AddrPort // where it wants the answers, as its header says; the same as Asker but behind a NAT
	To        netip.AddrPort
	Transport captures.Transport
	App       wire.GUID
	Flags     wire.EnumFlags
	Password  string // octets of a wire.Text
}

// first returns the first time that it was asked.
func (a *ask) first() mark { return a.Marks[0] }

// A hiding is why a host does not answer a question with a session, as the last description of the session has it.
type hiding struct {
	mark         // of the description
	Host         netip.AddrPort
	Session      string
	Field, Value string // of the description
	Why          string // "it wants a password, and ..."
	section      string // of the page of question-ignored
}

// Broadcast reports whether the question went to everybody on the network rather than to one machine.
func (a *ask) Broadcast() bool { return broadcast(a.To.Addr()) }

// A pair has the address of an asker, the one that its header wants answers at, and the address that is asked.
type pair struct{ asker, wants, to netip.Addr }

func (a *ask) pair() pair { return pair{a.Asker.Addr(), a.Wants.Addr(), a.To.Addr()} }

// An offer is a session that a host told an asker of, ENUMSESSIONSREPLY.
type offer struct {
	mark // the latest: it counts as an answer to all questions before
	offerKey
	At      netip.AddrPort // where joiners are to connect to, as its header says; the same as Host but behind a NAT
	App     wire.GUID
	Name    string
	Version wire.Dialect
	Count   int
}

// An offerKey identifies an offer.
type offerKey struct {
	Host, To  netip.AddrPort
	Transport captures.Transport
	Instance  wire.GUID
}

// A join is a machine's way into a session.
type join struct {
	Joiner, Host netip.AddrPort
	Conn, Door   netip.AddrPort // the ends of the joiner's connection to the host
	Session      string         // its name, where known
	Version      wire.Dialect   // what the joiner speaks
	HostVersion  wire.Dialect   // what the host speaks; 0: it said nothing
	Asked        mark           // REQUESTPLAYERID
	ID           mark           // REQUESTPLAYERREPLY
	IDWay        way            // the connection that it came on, the host's end first
	IDErr        error          // why that does not decode
	Player       wire.PlayerID  // the id that it got
	Asks         int            // how often it asked for one
	Final        mark           // the last time
	Request      mark           // ADDFORWARDREQUEST
	Password     wire.Text      // in it
	List         mark           // the list that ends it, malformed or not
	ListErr      *wire.DecodeError
	Strays       string   // octets of the list that no field covers
	Refused      *refusal // the join ended so
	LastSeen     mark     // the last message on Conn
	Ended        mark     // the host's FIN or RST on Conn
	In           bool     // the joiner made a player, or asked for one: it was let in, whatever the capture lacks
	After        int      // messages of the joiner to the host behind the list
}

// waits reports whether a join waits for its id.
func (j *join) waits() bool { return j.ID.Frame == 0 && j.Refused == nil && j.List.Frame == 0 }

// joined reports whether a join ended with a list that the game took.
func (j *join) joined() bool { return j.List.Frame > 0 && !j.gaveUp() }

// gaveUp reports whether the joiner said nothing more after a list that is not as it should be.
func (j *join) gaveUp() bool { return (j.ListErr != nil || j.Strays != "") && j.After == 0 }

// A refusal is a host's no.
type refusal struct {
	mark
	Host, Joiner netip.AddrPort
	Field        string
	Result       wire.HResult
	System       bool // a machine was refused, rather than a player of one that is in
	Session      string
	Flags        wire.SessionFlags
	Described    bool   // Flags, Players and Max come from a description
	Players, Max uint32 // in the session then, and at most; Max 0: no limit
	Later        mark   // a player was refused: where the joiner got one after all; zero: nowhere
}

// A forward is a newcomer that the host told a member of.
type forward struct {
	mark
	telling
	Host  netip.AddrPort
	Acked bool
}

// A telling is a newcomer that a member was told of.
type telling struct {
	Member netip.AddrPort
	Player wire.PlayerID
}

// A dial is one machine's attempts to connect to a socket.
type dial struct {
	series // packets that asked, repeated ones included
	dialKey
	Taken   int
	Refused tally // the first RST
	Used    bool  // messages went that way
}

// A dialKey identifies attempts.
type dialKey struct {
	From netip.Addr
	To   netip.AddrPort
}

// failed reports whether no attempt was taken, as far as that shows.
func (d *dial) failed() bool { return d.Taken == 0 && !d.Used }

// A reset is an RST that answered a message: nobody took it.
type reset struct {
	mark
	way                   // the connection, the sender's end first
	Sent   mark           // the message
	Sender netip.AddrPort // its listener
	Closed mark           // to had ended the connection before; zero: it had not
	Left   bool           // the last message of to before was a goodbye
}

// A block is a kind of ICMP messages about packets that could not be delivered.
type block struct {
	tally
	blockKey
	By netip.Addr
}

// A blockKey identifies a block.
type blockKey struct {
	Transport captures.Transport
	Src       netip.Addr
	Dst       netip.AddrPort
	Code      uint8
}

// show makes evidence of a block. to is the destination as the finding names it.
func (b *block) show(to string) Evidence {
	return b.mark.show("", b.By.String()+" says that "+to+" cannot be reached: "+icmpReason(b.Code))
}

// An address is a socket that a message told somebody to send to.
type address struct {
	mark
	addressKey
	Field string
}

// An addressKey identifies an address.
type addressKey struct {
	Teller    netip.Addr     // whose packet it was
	Told      netip.Addr     // who was told; a broadcast counts as nobody
	Socket    netip.AddrPort // the address is 0.0.0.0 where the teller leaves it to the receiver
	Transport captures.Transport
	Own       bool // about the teller itself, not about another machine
}

// A silence is a time in which a machine did not answer another one's pings.
type silence struct {
	unanswered
	From, Machine netip.AddrPort // listeners, where known
	Before        mark           // the last sign of life before; zero: none
	Check         mark           // the leader of a view asked over TCP as well, without an answer; zero: it did not
	Back          mark           // the first sign of life afterwards, whatever it was; zero: none
}

// A reign is a time for which a machine acted as host of a session.
type reign struct {
	mark       // when it began
	Until mark // the last thing
	Host  netip.AddrPort
	What  wire.GUID // the session's instance
	Name  string    // of the session
}

// broken is a message that does not decode.
type broken struct {
	tally
	way
	Err   *wire.DecodeError
	Text  string
	Short bool // it begins as a message does, and its end did not come
}

// A loss is something that the capture lacks.
type loss struct {
	mark
	Text string
}

// A source is an address that frames came from on an interface.
type source struct {
	Interface int
	Addr      netip.Addr
}

// streamed is the first message over TCP from one address to another.
type streamed struct {
	mark
	From, To netip.Addr
}

// settle finds the facts that concern the whole capture. The caller has read it.
func (c *facts) settle() {
	c.homes = map[netip.Addr]int{}
	for at, m := range c.machines {
		c.homes[at.Addr()] += flag(m.last.N > 0)
	}
	c.asksBy = index(c.Asks.list, func(a *ask) netip.AddrPort { return a.Asker })
	c.offersTo = index(c.Offers.list, func(o *offer) netip.Addr { return o.To.Addr() })
	c.dialsTo = index(c.Dials.list, func(d *dial) netip.AddrPort { return d.To })
	met := set(mapped(c.Sources, func(s *source) netip.Addr { return s.Addr }))
	c.unseen = index(where(c.Streams.list, func(s *streamed) bool { return !met[s.To] && len(c.Sources) < maxFacts }),
		func(s *streamed) netip.Addr { return s.To })
	c.overruns = pick(len(c.Losses) == 0, c.Junk, nil)
	c.unread = slices.Concat(c.Broken.list, c.Junk)
	c.traffic = c.traffics()
	for _, a := range c.Asks.list {
		a.answered = c.answered(a)
	}
	c.silent = c.findAsking()
	for _, a := range c.silent {
		c.trace(a)
	}
	c.findStops()
}

// oneSided reports whether the capture has messages over TCP to an address, and no frame that came from there. TCP
// goes on only while both sides send, so the capture lacks the answers of the machine there.
func (c *facts) oneSided(at netip.Addr) bool { return c.unseen[at] != nil }

// left returns how long the capture goes on behind a mark.
func (c *facts) left(m mark) time.Duration { return c.End.Sub(m.Time) }

// late reports whether the capture ends too soon behind a mark to judge a missing answer.
func (c *facts) late(m mark) bool { return c.left(m) < patience }

// who returns the words for a machine: its address, its port if another machine has the same address, and the name of its player if it is
// known.
func (c *facts) who(m netip.AddrPort) string {
	at, n := pick(c.homes[m.Addr()] > 1, m.String(), m.Addr().String()), c.known(m).name
	return at + pick(n == "", "", " ("+quote(n)+")")
}

// talk returns the last message of a machine, other than a goodbye; the zero mark if it sent none.
func (c *facts) talk(m netip.AddrPort) mark { return c.known(m).talk }
