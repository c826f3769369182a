package plan

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"net/netip"
	"time"

	"dplay4/wire"
)

// Slots is how many machines a session can have: as many as DirectPlay has ports.
const Slots = 50

// An ID names a machine, which has proved it to whom it is linked with.
type ID [16]byte

// String returns the first eight digits.
func (id ID) String() string { return hex.EncodeToString(id[:4]) }

// compare orders machines of the same order.
func (id ID) compare(other ID) int { return bytes.Compare(id[:], other[:]) }

// Ports are where the game of a machine listens on 127.0.0.1, on every machine alike.
type Ports struct {
	TCP uint16 `json:"tcp,omitempty"`
	UDP uint16 `json:"udp,omitempty"`
}

// At returns the ports of a slot whose machine announced no others.
func At(slot int) Ports {
	return Ports{TCP: wire.StreamPorts.First + uint16(slot), UDP: wire.DatagramPorts.First + uint16(slot)}
}

// A Place is a slot, and the ports of the game on it.
type Place struct {
	Slot  int // -1: none
	Ports Ports
}

// clashes reports whether two machines cannot have these places both.
func (a Place) clashes(b Place) bool {
	return min(a.Slot, b.Slot) >= 0 && (a.Slot == b.Slot || a.Ports.TCP == b.Ports.TCP || a.Ports.UDP == b.Ports.UDP)
}

// A Machine is what a machine says of itself. Nobody else can say it.
type Machine struct {
	ID    ID
	Name  string           // printable
	Place                  // without a slot, the ports are its wish
	Order uint64           // how many came before it, from 1; 0 while it is not in
	At    []netip.AddrPort // its relayed addresses
}

// compare orders machines: the older one is keeper, and has the slot that both want. Those that are not in come last.
func (m Machine) compare(other Machine) int {
	return cmp.Or(cmp.Compare(m.Order-1, other.Order-1), m.ID.compare(other.ID))
}

// Config is what a plan begins with.
type Config struct {
	ID    ID
	Name  string
	Ports Ports // of a game that runs already, all of them or none
	Found bool  // there is no session yet
	Ask   bool  // newcomers wait for Answer, also when another machine is keeper after us
	Seed  uint64
}

// A Link is the caller's number of a connection with another machine. It is never used again.
type Link uint64

// An Input is an event; one of the types below.
type Input interface{ input(*Plan) }

type (
	// Tick means that it is time, as Wake said.
	Tick struct{}
	// Up means that there is a connection with a machine. Ours is one that Dial or Knock asked for.
	Up struct {
		Link  Link
		ID    ID
		Ours  bool
		Knock bool // it is what Knock asked for
	}
	// Down means that a connection is no more.
	Down struct {
		Link   Link
		Reason string // of the other side's Close; empty: it did not close it
	}
	// Quiet means that nothing comes over a connection, or comes again: its other side may be gone. Who is quiet is not taken for
	// keeper, so that newcomers need not wait until the connection is down.
	Quiet struct {
		Link Link
		On   bool
	}
	// Heard is a message that came over a connection.
	Heard struct {
		Link Link
		Data []byte
	}
	// Failed means that a Dial came to nothing.
	Failed struct{ ID ID }
	// Unanswered means that a Knock came to nothing, or that it is we who answer.
	Unanswered struct {
		Ourselves bool
		Reason    string
	}
	// Reached tells our relayed addresses, and where we answer newcomers.
	Reached struct {
		At      []netip.AddrPort
		Meeting netip.AddrPort // not valid: where the code says without naming it
	}
	// Answer lets a newcomer in, or not.
	Answer struct {
		ID  ID
		Yes bool
	}
	// Kick sends a machine away, if we are keeper; otherwise it cuts it off from us alone.
	Kick struct {
		ID     ID
		Reason string
	}
	// Slept means that this machine did nothing for a while, as a laptop does that was closed: connections may be dead that are not
	// down yet.
	Slept struct{}
	// AskWays asks each member how octets go from it to the others: WaysTold answers, unless it does not know the question.
	AskWays struct{}
	// TellWays answers a member that asked.
	TellWays struct {
		ID   ID
		Ways []Way
	}
	// Leave ends our part in the session.
	Leave struct{}
)

// An Output is what the caller has to do or to tell; one of the types below.
type Output interface{ output() }

type (
	// Send is a message for a connection.
	Send struct {
		Link Link
		Data []byte
	}
	// Close ends a connection, and tells the other side why.
	Close struct {
		Link   Link
		Reason string
	}
	// Dial asks for a connection with a machine: Up or Failed answers.
	Dial struct {
		ID ID
		At []netip.AddrPort
	}
	// Knock asks for a connection with who answers newcomers: Up or Unanswered answers.
	Knock struct{}
	// Meet begins or ends that we answer newcomers. It may ask for what is the case already.
	Meet struct{ On bool }

	// Entered means that we are in, on this slot. It comes before the first Stands.
	Entered Place
	// Moved means that our slot is another one.
	Moved Place
	// Stands means that a machine is in the session, and who is on its slot.
	Stands struct {
		Machine Machine
		Link    Link
	}
	// Falls means that nobody is on the machine's slot any more, or not over that link.
	Falls struct{ Machine Machine }
	// Gone means that a machine has left, or has not been heard of for so long that it is not waited for any more.
	Gone struct {
		Machine Machine
		Reason  string
	}
	// Keeps means that another machine is keeper now, or we are. Before Entered it may be none, with the zero ID.
	Keeps struct{ ID ID }
	// Asked means that a newcomer waits for Answer.
	Asked struct{ Machine Machine }
	// Unasked means that it does not come in, or that it is not for us to answer any more.
	Unasked struct {
		Machine Machine
		Reason  string // Refused, Lost or Elsewhere
	}
	// Waits means that the keeper asks its user about us.
	Waits struct{}
	// WaysWanted means that a member asks how octets go from us to the others: TellWays answers.
	WaysWanted struct{ ID ID }
	// WaysTold is how octets go from a member to the others, as it says.
	WaysTold struct {
		ID   ID
		Ways []Way
	}
	// Ended means that we are out. No output follows.
	Ended struct{ Why End }
)

// An End is why we are out.
type End struct {
	Reason string // one of the reasons below
	Text   string // for people, of the other side
}

// Why connections are closed, and sessions end.
const (
	Left    = "left"    // it leaves, or we did
	Kicked  = "kicked"  // sent away
	Cut     = "cut"     // cut off by one machine alone
	Out     = "out"     // it leaves since it was sent away
	Full    = "full"    // no slot is left
	Refused = "refused" // not let in
	Later   = "later"   // its version does not understand ours
	Twice   = "twice"   // there is another connection with the same machine
	Broken  = "broken"  // it said what no program of ours says
	Nobody  = "nobody"  // nobody answered our knocks
	Lost    = "lost"    // it was not heard of for too long

	Elsewhere = "elsewhere" // another machine is keeper now
)

func (Send) output()       {}
func (Close) output()      {}
func (Dial) output()       {}
func (Knock) output()      {}
func (Meet) output()       {}
func (Entered) output()    {}
func (Moved) output()      {}
func (Stands) output()     {}
func (Falls) output()      {}
func (Gone) output()       {}
func (Keeps) output()      {}
func (Asked) output()      {}
func (Unasked) output()    {}
func (Waits) output()      {}
func (WaysWanted) output() {}
func (WaysTold) output()   {}
func (Ended) output()      {}

// The times of a plan.
const (
	idle       = 1 * time.Hour          // between two steps, at most
	pace       = 100 * time.Millisecond // between two states over one link
	dialSoon   = 200 * time.Millisecond // the first wait after a dial that failed, which doubles
	dialLate   = 5 * time.Second        // the longest
	patience   = 30 * time.Second       // how long a machine is waited for that vanished, and how long a joiner knocks
	quarantine = 5 * time.Second        // how long a slot stays free, so that all games notice
	answering  = 1 * time.Minute        // within which a Knock is answered
	knockAgain = 1 * time.Second        // a joiner's
	knockSoon  = 3 * time.Second        // a keeper's, whether it is still the one who answers, if it was not
	knockLate  = 20 * time.Second       // if it was
	grantAgain = 2 * time.Second        // if who got it did not take us for keeper then
	hearing    = 10 * time.Second       // within which a machine that made a connection has to say who it is
	standing   = 10 * time.Minute       // how long a machine may be linked that the keeper does not let in
	waking     = 15 * time.Second       // within which connections are down that died while this machine slept
)
