package captures

import (
	"net/netip"
	"time"

	"dplay4/captures/links"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// Transport is how a message travelled.
type Transport uint8

// The transports.
const (
	TCP Transport = iota
	UDP
)

// String returns "tcp" or "udp".
func (t Transport) String() string {
	if t == UDP {
		return "udp"
	}
	return "tcp"
}

// A Record is one message of a capture. It is valid during the call that it is handed to; nothing in it may
// be kept or changed.
type Record struct {
	N            int           // its number among the messages of the file, from 1
	Frames       []int         // the frames it came in, each once, in the order of the file
	Time         time.Time     // of the last of them
	Since        time.Duration // from the first record of the file to this one
	Gap          time.Duration // from the record before to this one; 0 for the first one
	Transport    Transport
	Src, Dst     netip.AddrPort
	From, To     Machine
	Conversation int             // number of the pair of machines, from 1; 0: not numbered
	Raw          []byte          // its octets, with the SP header where it had one
	Base         int             // octets of Raw before the signature: 20 of an SP header, those of a frame's header, or 0
	Envelope     wire.Envelope   // what was decoded; Message may be nil beside Err
	Err          error           // why it did not decode, usually a *wire.DecodeError
	Frame        *reliable.Frame // the frame of the reliable protocol that carried it, or that is all there is
	Step         *links.Step     // what Frame meant for its link; nil: it is none, or its link is not followed
	Foreign      bool            // Frame came from a machine that is not the one of the player that it names as sender
	Via          wire.Command    // PACKET or PACKET2_DATA: put together from such fragments, which are records of their own
	Joined       bool            // put together from reliable frames or fragments: its octets are counted there
	Session      *Session        // what is known of its session; nil: nothing
	Options      wire.Options    // with which it was decoded
	Findings     []Finding
}

// lastFrame returns the last of the record's frames, of which there is one at least.
func (r *Record) lastFrame() int { return r.Frames[len(r.Frames)-1] }

// Command returns the name of the message's command, as CommandName does. Frames of the reliable protocol that carry no
// whole message have names of their own, RELIABLE_DATA, RELIABLE_ACK and RELIABLE_NACK; what has no readable header is
// MALFORMED.
func (r *Record) Command() string {
	switch {
	case r.Envelope.Message != nil:
		return CommandName(r.Envelope.Message)
	case r.Frame != nil && r.Err == nil:
		return frameNames[r.Frame.Kind()]
	}
	return "MALFORMED"
}

// frameNames are the names of frames that carry no whole message.
var frameNames = map[reliable.Kind]string{
	reliable.KindData: "RELIABLE_DATA", reliable.KindACK: "RELIABLE_ACK", reliable.KindNACK: "RELIABLE_NACK",
}

// FromTo returns the ids of sender and addressee where the message has both and they could be read.
func (r *Record) FromTo() (from, to wire.PlayerID, ok bool) {
	if r.Err != nil {
		return 0, 0, false
	}
	switch m := r.Envelope.Message.(type) {
	case *wire.PlayerMessage:
		return m.From, m.To, !m.NoIDs
	case *wire.HeaderedPlayerMessage:
		return m.Player.From, m.Player.To, !m.Player.NoIDs
	case *wire.PlayerWrapper:
		return m.Player.From, m.Player.To, !m.Player.NoIDs
	case *wire.Chat:
		return m.From, m.To, true
	case *wire.Voice:
		return m.From, m.To, true
	}
	return 0, 0, false
}

// Sender returns the id of who a message says it is from: of the player in game, chat and voice messages, of the
// sending machine's system player in pings, messages of secure sessions and of the extension, and of the player whose
// index a reliable frame without a whole message carries. Other messages name no sender.
func (r *Record) Sender() (id wire.PlayerID, ok bool) {
	if from, _, ok := r.FromTo(); ok {
		return from, true
	}
	if r.Err != nil {
		return 0, false // the id may be one of the fields that could not be read
	}
	switch m := r.Envelope.Message.(type) {
	case *wire.Ping:
		return m.From, true
	case *wire.PingReply:
		return m.From, true
	case *wire.Ask4Multicast:
		return m.From, true
	case *wire.Ask4MulticastGuaranteed:
		return m.From, true
	case *wire.MulticastDelivery:
		return m.From, true
	case *wire.Signed:
		return m.From, true
	case *wire.Negotiate:
		return m.From, true
	case *wire.Challenge:
		return m.From, true
	case *wire.ChallengeResponse:
		return m.From, true
	case *wire.Extension:
		return m.From, true
	}
	if r.Frame != nil {
		if p := r.Session.ByIndex(r.Frame.From); p != nil {
			return p.ID, true
		}
	}
	return 0, false
}
