package doctor

import (
	"net/netip"
	"time"

	"dplay4/captures"
	"dplay4/wire"
)

// A Case is what a capture holds that rules ask about. Machines are named by the socket that they listen on for
// TCP: the address that their packets come from, and the port in their SP headers.
type Case struct {
	Summary *captures.Summary
	Begin   time.Time // of the first message
	End     time.Time // of the last frame
	Last    int       // its number

	Asks      []*Ask
	Offers    []*Offer
	Joins     []*Join
	Refusals  []*Refusal
	Forwards  []*Forward
	Dials     []*Dial
	Blocks    []*Block
	Addresses []*Address
	Silences  []*Silence
	Reigns    []*Reign
	Broken    []*Broken
	Strangers []*Stranger
	Dead      []*Dead
	Twins     []*Twins
	Losses    []*Loss
	Sources   []*Source

	game  func(wire.GUID) string
	lives map[netip.AddrPort]*life // of each machine, by its listener
	homes map[netip.Addr]int       // machines at an address
	hosts map[hosting]bool         // what is hosted at an address
	wants map[wanting]bool         // what an asker looks for

	sought  bool   // asking was asked before
	unheard []*Ask // what it said
	names   map[netip.AddrPort]string
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

// A Mark is a place in a capture.
type Mark struct {
	Frame, N int // N is 0 where it is no message
	Time     time.Time
	Message  string
}

// show makes evidence of a mark.
func (m Mark) show(field, value string) Evidence {
	return Evidence{Frame: m.Frame, N: m.N, Time: m.Time, Message: m.Message, Field: field, Value: value}
}

// An Ask is a question for sessions, ENUMSESSIONS, with its repetitions.
type Ask struct {
	Marks     []Mark // the first ones
	Final     Mark
	Count     int
	Asker     netip.AddrPort // its listener: the address that the question came from, and the port in its header
	Wants     netip.AddrPort // where it wants the answers, as its header says; the same as Asker but behind a NAT
	From, To  netip.AddrPort // the sockets it went between, of the first
	Transport captures.Transport
	App       wire.GUID
	Version   wire.Dialect
}

// Broadcast says whether the question went to everybody on the network rather than to one machine.
func (a *Ask) Broadcast() bool { return broadcast(a.To.Addr()) }

// An Offer is a session that a host told an asker of, ENUMSESSIONSREPLY.
type Offer struct {
	Mark
	Host      netip.AddrPort
	From, To  netip.AddrPort
	Transport captures.Transport
	App       wire.GUID
	Instance  wire.GUID
	Name      string
	Version   wire.Dialect
	Count     int
}

// A Join is a machine's way into a session.
type Join struct {
	Joiner, Host netip.AddrPort
	Conn         netip.AddrPort // from where the joiner's connection to the host comes
	Session      string         // its name, where known
	Version      wire.Dialect   // what the joiner speaks
	HostVersion  wire.Dialect   // what the host speaks; 0: it said nothing
	Asked        Mark           // REQUESTPLAYERID
	ID           Mark           // REQUESTPLAYERREPLY
	Request      Mark           // ADDFORWARDREQUEST
	List         Mark           // the list that ends it, malformed or not
	ListErr      *wire.DecodeError
	Strays       string   // octets of the list that no field covers
	Refused      *Refusal // the join ended so
	LastSeen     Mark     // the last message on Conn
	After        int      // messages of the joiner to the host behind the list
}

// A Refusal is a host's no.
type Refusal struct {
	Mark
	Host, Joiner netip.AddrPort
	Field        string
	Result       wire.HResult
	System       bool // a machine was refused, rather than a player of one that is in
	Session      string
	Flags        wire.SessionFlags
	Described    bool   // Flags, Players and Max come from a description
	Players, Max uint32 // in the session then, and at most; Max 0: no limit
	Later        Mark   // a player was refused: where the joiner got one after all; zero: nowhere
}

// A Forward is a newcomer that the host told a member of.
type Forward struct {
	Mark
	Host, Member netip.AddrPort
	Player       wire.PlayerID
	Acked        bool
}

// A Dial is one machine's attempts to connect to a socket.
type Dial struct {
	From    netip.Addr
	To      netip.AddrPort
	Marks   []Mark // the first SYNs
	Final   Mark   // the last one
	Tries   int    // connections asked for
	Syns    int    // packets that asked, repeated ones included
	Taken   int
	Refused int
	No      Mark // the first RST
	Used    bool // messages went that way
}

// A Block is what ICMP says that could not be delivered.
type Block struct {
	Mark
	Transport captures.Transport
	Src, Dst  netip.AddrPort
	By        netip.Addr
	Code      uint8
	Count     int
}

// An Address is a socket that a message told somebody to send to.
type Address struct {
	Mark
	Field     string
	Transport captures.Transport
	Teller    netip.Addr     // whose packet it was
	Own       bool           // about the teller itself, not about another machine
	Told      netip.Addr     // who was told; a broadcast counts as nobody
	Socket    netip.AddrPort // the address is 0.0.0.0 where the teller leaves it to the receiver
}

// A Silence is a time in which a machine did not answer another one's pings.
type Silence struct {
	From, Machine netip.AddrPort // listeners, where known
	Marks         []Mark         // the first pings without an answer
	Final         Mark           // the last one
	Count         int
	Before        Mark // the last sign of life before; zero: none
	Between       int  // how often something came from the machine over TCP between two of the pings
	Stream        Mark // the last thing that came over TCP meanwhile
	Back          Mark // the first sign of life afterwards, whatever it was; zero: none
}

// A life is the last that was heard of a machine.
type life struct {
	last, talk Mark // talk is other than goodbye
}

// A Reign is a time for which a machine acted as host of a session.
type Reign struct {
	Mark         // when it began
	Acts  []Mark // the first things it did as host
	Until Mark   // the last thing
	Host  netip.AddrPort
	What  wire.GUID // the session's instance
	Name  string    // of the session
}

// Broken is a message that does not decode.
type Broken struct {
	Mark
	From, To netip.AddrPort
	Err      *wire.DecodeError
	Text     string
	Count    int
}

// A Stranger is a game message between players that nobody announced.
type Stranger struct {
	Mark
	Machine  netip.AddrPort
	From, To wire.PlayerID
	Count    int
}

// Dead is a machine that was told that it is in no session any more.
type Dead struct {
	Mark
	By, Machine netip.AddrPort
	Count       int
}

// Twins are two machines of one list with one socket.
type Twins struct {
	Mark
	Field  string
	One    wire.PlayerID
	Other  wire.PlayerID
	Socket netip.AddrPort
}

// A Loss is something that the capture lacks.
type Loss struct {
	Mark
	Code captures.Code
	Text string
}

// A Source is an address that frames came from on an interface.
type Source struct {
	Interface int
	Addr      netip.Addr
}

// left gives how long the capture goes on behind a mark.
func (c *Case) left(m Mark) time.Duration { return c.End.Sub(m.Time) }

// who names a machine for people: by its player where that is known, by its port as well where another one has the
// same address.
func (c *Case) who(m netip.AddrPort) string {
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
func (c *Case) app(g wire.GUID) string { return appName(c.game, g) }

func appName(game func(wire.GUID) string, g wire.GUID) string {
	if game != nil {
		if n := game(g); n != "" {
			return n + " " + g.String()
		}
	}
	return g.String()
}

// joined gives the joins of a machine that ended with a list that its game took.
func (c *Case) joined(machine netip.AddrPort) bool {
	for _, j := range c.Joins {
		if j.Joiner == machine && j.List.Frame > 0 && !j.gaveUp() {
			return true
		}
	}
	return false
}

// gaveUp says whether the joiner said nothing more after a list that is not as it should be.
func (j *Join) gaveUp() bool { return (j.ListErr != nil || j.Strays != "") && j.After == 0 }

// offered gives the offers that reached an asker from a question on.
func (c *Case) offered(a *Ask, fits func(*Offer) bool) []*Offer {
	var list []*Offer
	for _, o := range c.Offers {
		if o.To.Addr() == a.Asker.Addr() && o.N > a.Marks[0].N && fits(o) {
			list = append(list, o)
		}
	}
	return list
}

// answered says whether a question was answered as it should be: over TCP, to the asker's listener. A machine that
// went on to join was answered, whatever the capture lacks.
func (c *Case) answered(a *Ask) bool {
	ok := c.offered(a, func(o *Offer) bool { return o.Transport == captures.TCP && o.To.Port() == a.Asker.Port() })
	if len(ok) > 0 {
		return true
	}
	for _, j := range c.Joins {
		if j.Joiner == a.Asker && j.Asked.N > a.Marks[0].N {
			return true
		}
	}
	return false
}

// asking gives the questions that were not answered, one for each asker. Those are left out that were asked too short
// before the end of a capture that has more, and those of a machine that found nothing and then became host itself.
func (c *Case) asking() []*Ask {
	if !c.sought {
		c.sought = true
		c.unheard = c.findAsking()
	}
	return c.unheard
}

func (c *Case) findAsking() (list []*Ask) {
	done := map[netip.AddrPort]bool{}
	for _, o := range c.Offers {
		done[o.Host] = true
	}
	more := len(c.Offers)+len(c.Joins) > 0
	for _, a := range c.Asks {
		if c.answered(a) || more && c.left(a.Marks[0]) < patience {
			done[a.Asker] = true
		}
	}
	for _, a := range c.Asks {
		if !done[a.Asker] {
			done[a.Asker] = true
			list = append(list, a)
		}
	}
	return list
}

// questions gives all unanswered questions of an asker as evidence.
func (c *Case) questions(asker netip.AddrPort) (list []Evidence, more int) {
	for _, a := range c.Asks {
		if a.Asker != asker {
			continue
		}
		for _, m := range a.Marks {
			list = append(list, m.show("SockAddr", "answers are wanted at "+a.Wants.String()+", asked by "+a.Transport.String()+" at "+a.To.String()))
		}
		more += a.Count - len(a.Marks)
	}
	return list, more
}

// dial gives the attempts of a machine to connect to a socket, nil if there are none.
func (c *Case) dial(from netip.Addr, to netip.AddrPort) *Dial {
	for _, d := range c.Dials {
		if d.From == from && d.To == to {
			return d
		}
	}
	return nil
}

// dialled gives the attempts of anybody to connect to a socket.
func (c *Case) dialled(to netip.AddrPort) (list []*Dial) {
	for _, d := range c.Dials {
		if d.To == to {
			list = append(list, d)
		}
	}
	return list
}

// replies gives the attempts to answer a question: to connect to where it came from, or to where its header wants the
// answers.
func (c *Case) replies(a *Ask) []*Dial {
	list := c.dialled(a.Asker)
	if a.Wants != a.Asker {
		list = append(list, c.dialled(a.Wants)...)
	}
	return list
}
