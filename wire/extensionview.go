package wire

import (
	"cmp"
	"encoding/binary"

	"dplay4/wire/internal/field"
)

// An Incarnation is 64 random bits that a program draws when it begins to join or to host. Two are equal or not, and have no
// order. 0 is that of a peer that does not know this extension.
type Incarnation uint64

// A View says who leads a session, and since when. The zero View is that of a program that is in no session.
type View struct {
	Epoch       uint32
	Join        uint32      // the number of the operation with which the leader joined; 0 by the rule of DirectPlay 4
	Leader      PlayerID    // its system player
	Incarnation Incarnation // of the leader
}

// Compare orders views: +1 if v is newer than w. The higher epoch is newer. At one epoch the smaller rest is.
func (v View) Compare(w View) int {
	return cmp.Or(cmp.Compare(v.Epoch, w.Epoch), cmp.Compare(w.Join, v.Join), cmp.Compare(w.Leader, v.Leader),
		cmp.Compare(w.Incarnation, v.Incarnation))
}

// Newer reports whether v is newer than w.
func (v View) Newer(w View) bool { return v.Compare(w) > 0 }

// ViewStep says what an [ExtensionView] is.
type ViewStep uint32

// The steps; package hostmigrate/view says what each is for.
const (
	ViewLog ViewStep = iota + 1
	ViewPosition
	ViewBehind
	ViewPrepare
	ViewRefuse
	ViewAck
	ViewFetch
	ViewState
	ViewInstall
	ViewAsk
	ViewAnswer
	ViewAccuse
	ViewOwn
	ViewClaim
	ViewJoin
	ViewUnvouched
)

var viewSteps = [...]string{"", "LOG", "POSITION", "BEHIND", "PREPARE", "REFUSE", "ACK", "FETCH", "STATE", "INSTALL", "ASK", "ANSWER",
	"ACCUSE", "OWN", "CLAIM", "JOIN", "UNVOUCHED"}

// String returns the name of a step, or "UNKNOWN(0x00000063)".
func (s ViewStep) String() string {
	if s > 0 && int(s) < len(viewSteps) {
		return viewSteps[s]
	}
	return "UNKNOWN(" + field.HexWord(uint32(s), 8) + ")"
}

// ExtensionView is a message about views: who is in the session, who leads it, and how parts of it come together. Fields that a step
// does not need are zero.
type ExtensionView struct {
	Step    ViewStep
	From    ViewMember // the sender
	View    View       // that the message is about
	Place   View       // that Index is of
	Index   uint32     // of the last operation
	Base    uint32     // the operations are those after it; 0: they make the whole list
	Nonce   uint32     // of a question and its answer
	Part    uint16     // of a list in several messages; from 1 on
	Parts   uint16
	Members []ViewMember  // who is in the view, or is to be
	Lost    []ViewMember  // who was lost and did not leave
	Left    []Incarnation // who left
	Renamed []ViewRenamed // ids of the receiver that it has to change
	Ops     [][]byte      // operations, as messages of [MC-DPL8CS]
}

// A ViewMember is a member with its addresses.
type ViewMember struct {
	System      PlayerID
	Incarnation Incarnation
	Stream      SockAddr // its TCP listener
	Datagram    SockAddr // its UDP socket
}

// ViewRenamed is an id that somebody else has, and the one that takes its place.
type ViewRenamed struct{ Old, New PlayerID }

// viewMemberSize is what a member takes, in octets.
const viewMemberSize = 4 + 8 + 2*SockAddrSize

func (*ExtensionView) kind() ExtensionKind { return KindView }

func (b *ExtensionView) fields(c *codec) {
	c.Named("Step", (*uint32)(&b.Step), func(v uint32) string { return ViewStep(v).String() })
	c.viewMember("From", &b.From)
	c.view("View", &b.View)
	c.view("Place", &b.Place)
	c.U32("Index", &b.Index)
	c.U32("Base", &b.Base)
	c.Hex32("Nonce", &b.Nonce)
	c.Half("Part", &b.Part, field.Number, nil)
	c.Half("Parts", &b.Parts, field.Number, nil)
	members := func(name, count string, p *[]ViewMember) {
		list(c, name, p, c.Count(c.Size(count, len(*p)), viewMemberSize), func(c *codec, m *ViewMember) { c.member(m) })
	}
	members("Members", "MemberCount", &b.Members)
	members("Lost", "LostCount", &b.Lost)
	list(c, "Left", &b.Left, c.Count(c.Size("LeftCount", len(b.Left)), 8), func(c *codec, i *Incarnation) {
		c.incarnation("Incarnation", i)
	})
	list(c, "Renamed", &b.Renamed, c.Count(c.Size("RenamedCount", len(b.Renamed)), 8), func(c *codec, r *ViewRenamed) {
		c.id("IDOld", &r.Old)
		c.id("IDNew", &r.New)
	})
	list(c, "Operations", &b.Ops, c.Count(c.Size("OperationCount", len(b.Ops)), 4), func(c *codec, o *[]byte) {
		c.Octets("Message", o, c.Length(c.Size("MessageSize", len(*o))))
	})
}

func (c *codec) view(name string, v *View) {
	c.Open(name)
	c.U32("Epoch", &v.Epoch)
	c.U32("Join", &v.Join)
	c.id("IDLeader", &v.Leader)
	c.incarnation("Incarnation", &v.Incarnation)
	c.Close()
}

func (c *codec) viewMember(name string, m *ViewMember) {
	c.Open(name)
	c.member(m)
	c.Close()
}

func (c *codec) member(m *ViewMember) {
	c.id("IDSystem", &m.System)
	c.incarnation("Incarnation", &m.Incarnation)
	c.sockAddr("Stream", &m.Stream)
	c.sockAddr("Datagram", &m.Datagram)
}

func (c *codec) incarnation(name string, i *Incarnation) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(*i))
	c.Copied(name, b[:], field.Octets)
	*i = Incarnation(binary.LittleEndian.Uint64(b[:]))
}
