package doctor

import (
	"net/netip"
	"time"

	"dplay4/captures"
	"dplay4/wire"
)

// facts is what a capture holds that rules ask about. Machines are named by the socket that they listen on for
// TCP: the address that their packets come from, and the port in their SP headers.
type facts struct {
	Summary *captures.Summary
	Begin   time.Time // of the first message
	End     time.Time // of the last frame
	Last    int       // its number
	Known   bool      // a message shows by itself that it is DirectPlay 4's; others are taken for it by the user's word

	Asks       []*ask
	Offers     []*offer
	Joins      []*join
	Refusals   []*refusal
	Forwards   []*forward
	Dials      []*dial
	Blocks     []*block
	Addresses  []*address
	Silences   []*silence
	Reigns     []*reign
	Broken     []*broken
	Junk       []*broken // octets of a connection that are no message, or not a whole one
	Strangers  []*stranger
	Dead       []*dead
	Twins      []*twins
	Losses     []*loss
	Kinds      []*kind // of packets before the first message, in the order of the file
	OtherKinds int     // packets of more kinds than are remembered
	Foreign    []*foreign
	Bent       []*bent
	Deletions  []*deletion
	Resets     []*reset
	Sources    []*source
	Streams    []*streamed
	Births     []*birth
	vantage    vantage
	Runs       []*run
	Deposed    []*deposed
	Unheard    []*unheard
	Segments   []*segment

	game  func(wire.GUID) string
	lives map[netip.AddrPort]*life // of each machine, by its listener
	homes map[netip.Addr]int       // machines at an address
	hosts map[hosting]bool         // what is hosted at an address
	wants map[wanting]bool         // what an asker looks for

	ended   *stops // nil: not looked at yet
	sought  bool   // asking was asked before
	unheard []*ask // what it said
	names   map[netip.AddrPort]string
	unseen  map[netip.Addr]*streamed // nil: not looked at yet
}

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

// A mark is a place in a capture.
type mark struct {
	Frame, N int // N is 0 where it is no message
	Time     time.Time
	Message  string
}

// show makes evidence of a mark.
func (m mark) show(field, value string) Evidence {
	return Evidence{Frame: m.Frame, N: m.N, Time: m.Time, Message: m.Message, Field: field, Value: value}
}

// An ask is a question for sessions, ENUMSESSIONS, with its repetitions.
type ask struct {
	Marks     []mark // the first ones
	Final     mark
	Count     int
	Asker     netip.AddrPort // its listener: the address that the question came from, and the port in its header
	Wants     netip.AddrPort // where it wants the answers, as its header says; the same as Asker but behind a NAT
	From, To  netip.AddrPort // the sockets it went between, of the first
	Transport captures.Transport
	App       wire.GUID
	Flags     wire.EnumFlags
	Password  wire.Text // nil: none
	Version   wire.Dialect
	Hidden    *hiding // a session that it reached, and that did not show itself; nil: none
}

// A hiding is why a host does not answer a question with a session, as the last description of the session has it.
type hiding struct {
	mark         // of the description
	Host         netip.AddrPort
	Session      string
	Field, Value string // of the description
	Why          string // "it wants a password, and ..."
	Bar          hidingKind
}

// A hidingKind is a reason for which a host hides a session: the case of the page of question-ignored.
type hidingKind string

// The reasons.
const (
	hiddenGame     hidingKind = "game"     // it is of another game
	hiddenPrivate  hidingKind = "private"  // it shows itself only to who has its password
	hiddenPassword hidingKind = "password" // it wants a password, and the question has not the right one, nor the flag
	hiddenClosed   hidingKind = "closed"   // it takes nobody
	hiddenFull     hidingKind = "full"
)

// Broadcast reports whether the question went to everybody on the network rather than to one machine.
func (a *ask) Broadcast() bool { return broadcast(a.To.Addr()) }

// A pair is who asks, as seen here and as it says itself, and who is asked.
type pair struct{ asker, wants, to netip.Addr }

func (a *ask) pair() pair { return pair{a.Asker.Addr(), a.Wants.Addr(), a.To.Addr()} }

// An offer is a session that a host told an asker of, ENUMSESSIONSREPLY.
type offer struct {
	mark
	Host      netip.AddrPort
	At        netip.AddrPort // where joiners are to connect to, as its header says; the same as Host but behind a NAT
	From, To  netip.AddrPort
	Transport captures.Transport
	App       wire.GUID
	Instance  wire.GUID
	Name      string
	Version   wire.Dialect
	Count     int
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
	IDFrom, IDTo netip.AddrPort // the ends of the connection that it came on, the host's first
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
	Host, Member netip.AddrPort
	Player       wire.PlayerID
	Acked        bool
}

// A dial is one machine's attempts to connect to a socket.
type dial struct {
	From    netip.Addr
	To      netip.AddrPort
	Marks   []mark // the first SYNs
	Final   mark   // the last one
	Tries   int    // connections asked for
	Syns    int    // packets that asked, repeated ones included
	Taken   int
	Refused int
	No      mark // the first RST
	Used    bool // messages went that way
}

// A reset is an RST that answered a message: nobody took it.
type reset struct {
	mark
	Sent     mark           // the message
	From, To netip.AddrPort // the ends of the connection, the sender's first
	Sender   netip.AddrPort // its listener
	Closed   mark           // To had ended the connection before; zero: it had not
	Left     bool           // To's last word before was a goodbye
}

// A block is what ICMP says that could not be delivered.
type block struct {
	mark
	Transport captures.Transport
	Src, Dst  netip.AddrPort
	By        netip.Addr
	Code      uint8
	Count     int
}

// An address is a socket that a message told somebody to send to.
type address struct {
	mark
	Field     string
	Transport captures.Transport
	Teller    netip.Addr     // whose packet it was
	Own       bool           // about the teller itself, not about another machine
	Told      netip.Addr     // who was told; a broadcast counts as nobody
	Socket    netip.AddrPort // the address is 0.0.0.0 where the teller leaves it to the receiver
}

// A silence is a time in which a machine did not answer another one's pings.
type silence struct {
	From, Machine netip.AddrPort // listeners, where known
	Marks         []mark         // the first pings without an answer
	Final         mark           // the last one
	Count         int
	Before        mark // the last sign of life before; zero: none
	Between       int  // how often something came from the machine over TCP between two of the pings
	Stream        mark // the last thing that came over TCP meanwhile
	Check         mark // the leader of a view asked over TCP as well, without an answer; zero: it did not
	Back          mark // the first sign of life afterwards, whatever it was; zero: none
}

// A life is the last that was heard of a machine.
type life struct {
	last, talk mark // talk is other than goodbye
	inside     mark // sent by machines that found a session, and by no others
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
	mark
	From, To netip.AddrPort
	Err      *wire.DecodeError
	Text     string
	Count    int
	Short    bool // it begins as a message does, and its end did not come
}

// A stranger is a game message between players that nobody announced.
type stranger struct {
	mark
	Machine  netip.AddrPort
	From, To wire.PlayerID
	Count    int
}

// dead is a machine that was told that it is in no session any more.
type dead struct {
	mark
	By, Machine netip.AddrPort
	Count       int
}

// twins are two machines of one list with one socket.
type twins struct {
	mark
	Field  string
	One    wire.PlayerID
	Other  wire.PlayerID
	Socket netip.AddrPort
}

// A loss is something that the capture lacks.
type loss struct {
	mark
	Code captures.Code
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

// oneSided returns the first message over TCP to an address that no frame of the capture came from, nil if there is none. TCP
// goes on only while both sides send, so the capture lacks the answers of the machine there.
func (c *facts) oneSided(at netip.Addr) *streamed {
	if c.unseen == nil {
		c.unseen = map[netip.Addr]*streamed{}
		met := map[netip.Addr]bool{}
		for _, s := range c.Sources {
			met[s.Addr] = true
		}
		for _, s := range c.Streams {
			if !met[s.To] && c.unseen[s.To] == nil && len(c.Sources) < maxFacts {
				c.unseen[s.To] = s
			}
		}
	}
	return c.unseen[at]
}

// left returns how long the capture goes on behind a mark.
func (c *facts) left(m mark) time.Duration { return c.End.Sub(m.Time) }

// who names a machine for people: by its player where that is known, by its port as well where another one has the
// same address.
func (c *facts) who(m netip.AddrPort) string {
	at := m.Addr().String()
	if c.homes[m.Addr()] > 1 {
		at = m.String()
	}
	if n := c.names[m]; n != "" {
		return at + " (" + quote(n) + ")"
	}
	return at
}

// app names an application: by its game where that is known.
func (c *facts) app(g wire.GUID) string { return appName(c.game, g) }

func appName(game func(wire.GUID) string, g wire.GUID) string {
	if game != nil {
		if n := game(g); n != "" {
			return n + " " + g.String()
		}
	}
	return g.String()
}

// joined returns the joins of a machine that ended with a list that its game took.
func (c *facts) joined(machine netip.AddrPort) bool {
	for _, j := range c.Joins {
		if j.Joiner == machine && j.List.Frame > 0 && !j.gaveUp() {
			return true
		}
	}
	return false
}

// gaveUp reports whether the joiner said nothing more after a list that is not as it should be.
func (j *join) gaveUp() bool { return (j.ListErr != nil || j.Strays != "") && j.After == 0 }

// dial returns the attempts of a machine to connect to a socket, nil if there are none.
func (c *facts) dial(from netip.Addr, to netip.AddrPort) *dial {
	for _, d := range c.Dials {
		if d.From == from && d.To == to {
			return d
		}
	}
	return nil
}

// dialled returns the attempts of anybody to connect to a socket.
func (c *facts) dialled(to netip.AddrPort) (list []*dial) {
	for _, d := range c.Dials {
		if d.To == to {
			list = append(list, d)
		}
	}
	return list
}

// replies returns the attempts to answer a question: to connect to where it came from, or to where its header wants the
// answers.
func (c *facts) replies(a *ask) []*dial {
	list := c.dialled(a.Asker)
	if a.Wants != a.Asker {
		list = append(list, c.dialled(a.Wants)...)
	}
	return list
}
