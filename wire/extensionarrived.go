package wire

import "fmt"

// ExtensionArrived says how many messages arrived from its receiver, and which one comes next, so that those that a broken connection
// lost are sent again. It goes to whom HELLO says with [HelloArrived] that it does the same.
type ExtensionArrived struct {
	Mine, Yours ArrivedEnd // the sender, and the receiver as the sender knows it; zero: not at all
	Connection  uint32     // that the message comes over, by the sender's count; 0: nothing is counted yet
	Next        uint64     // the number of the next message on it; 0: it waits until the receiver says how many arrived
	Read        uint32     // the newest connection of the receiver that the sender reads
	Count       uint64     // the number of the last message that arrived
}

// An ArrivedEnd is a program, since it met the other one last.
type ArrivedEnd struct {
	Incarnation GUID   // 64 bits, then zeros, drawn at random when the program began to join or host; zero: not known
	Meeting     uint32 // how many machines the program had met by then
}

// String returns the end as incarnation/meeting.
func (e ArrivedEnd) String() string { return fmt.Sprintf("%x/%d", e.Incarnation[:8], e.Meeting) }

func (*ExtensionArrived) kind() ExtensionKind { return KindArrived }

func (b *ExtensionArrived) fields(c *codec) {
	c.guid("Incarnation", &b.Mine.Incarnation)
	c.U32("Meeting", &b.Mine.Meeting)
	c.guid("ReceiverIncarnation", &b.Yours.Incarnation)
	c.U32("ReceiverMeeting", &b.Yours.Meeting)
	c.U32("Connection", &b.Connection)
	c.long("Next", "NextHigh", &b.Next)
	c.U32("ReceiverConnection", &b.Read)
	c.long("Count", "CountHigh", &b.Count)
}

// long is 64 bits, the low DWORD first.
func (c *codec) long(low, high string, p *uint64) {
	l, h := uint32(*p), uint32(*p>>32)
	c.U32(low, &l)
	c.U32(high, &h)
	*p = uint64(h)<<32 | uint64(l)
}
