package captures

import (
	"cmp"
	"net/netip"
	"strconv"
	"time"

	"dplay4/captures/internal/link"
	"dplay4/captures/internal/pcapfile"
)

// An EventKind says what happened below the messages.
type EventKind uint8

// The kinds of events.
const (
	ConnectionAsked  EventKind = iota + 1 // a SYN of TCP, repeated ones included
	ConnectionTaken                       // a SYN with ACK: Src has accepted
	ConnectionEnded                       // a FIN
	ConnectionBroken                      // an RST
	Unreachable                           // ICMP says that what Src sent to Dst could not be delivered
	AddressMet                            // the first frame that came from Src's address on an interface
	CaptureEnded                          // behind the last frame
)

var eventNames = map[EventKind]string{
	ConnectionAsked: "SYN", ConnectionTaken: "SYN ACK", ConnectionEnded: "FIN", ConnectionBroken: "RST", Unreachable: "ICMP unreachable",
	AddressMet: "address", CaptureEnded: "end of capture",
}

// String returns the kind as people name it.
func (k EventKind) String() string {
	return cmp.Or(eventNames[k], "EventKind("+strconv.Itoa(int(k))+")")
}

// An Event is something that happened below the messages, of any protocol: not only DirectPlay's. It is valid during
// the call that it is handed to. Events of TCP come as the frames stand in the file, so they may be before messages
// of an earlier frame that still waits for octets.
type Event struct {
	Kind      EventKind
	Frame     int       // of CaptureEnded, the last one
	Time      time.Time // of the frame; zero where the file tells none
	Interface int       // number of the interface it was captured on, from 0
	Transport Transport // of what Unreachable is about; the others but AddressMet are TCP's
	Src, Dst  netip.AddrPort
	By        netip.Addr // Unreachable: who says so
	Code      uint8      // Unreachable: why, as RFC 792 numbers it
}

// A watch tells about events.
type watch struct {
	tell func(*Event)
	met  map[meeting]bool
	last time.Time
	ev   Event
}

// A meeting is an address on an interface.
type meeting struct {
	network int
	at      netip.Addr
}

func newWatch(tell func(*Event)) *watch { return &watch{tell: tell, met: map[meeting]bool{}} }

// frame tells what is to be told about a frame that was decoded.
func (w *watch) frame(d *link.Decoder, p *pcapfile.Packet, u *link.Unit, st link.Status) {
	if p.Time.After(w.last) {
		w.last = p.Time
	}
	w.ev = Event{Frame: p.Frame, Time: p.Time, Interface: p.Interface, Src: u.Src, Dst: u.Dst}
	if st.Kind != link.KindUnit {
		w.unreachable(d)
		return
	}
	if m := (meeting{p.Interface, u.Src.Addr()}); !w.met[m] && len(w.met) < maxSockets {
		w.met[m] = true
		w.event(AddressMet)
	}
	if u.Proto != link.TCP {
		return
	}
	switch {
	case u.RST:
		w.event(ConnectionBroken)
	case u.SYN && u.ACK:
		w.event(ConnectionTaken)
	case u.SYN:
		w.event(ConnectionAsked)
	}
	if u.FIN {
		w.event(ConnectionEnded)
	}
}

func (w *watch) unreachable(d *link.Decoder) {
	x, ok := d.Unreachable()
	if !ok {
		return
	}
	w.ev.Src, w.ev.Dst, w.ev.By, w.ev.Code = x.Src, x.Dst, x.By, x.Code
	if x.Proto == link.UDP {
		w.ev.Transport = UDP
	}
	w.event(Unreachable)
}

// end tells that the capture ended.
func (w *watch) end(frames int) {
	w.ev = Event{Frame: frames, Time: w.last}
	w.event(CaptureEnded)
}

func (w *watch) event(k EventKind) {
	w.ev.Kind = k
	w.tell(&w.ev)
}
