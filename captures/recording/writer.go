package recording

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"sync"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"

	"dplay4/dpsp"
)

// ErrClosed says that a packet came after Close.
var ErrClosed = errors.New("the recording is closed")

// A Writer writes a pcapng file, packet by packet. It is a recorder for package dpsp/sock. The first error pins
// it: nothing is written after it, and Close gives it. Its methods may be called by several goroutines, such as
// those of two sessions that are recorded into one file.
type Writer struct {
	mu      sync.Mutex
	out     *pcapgo.NgWriter
	buf     gopacket.SerializeBuffer
	last    time.Time // of the packet written last
	packets int
	ids     uint16 // the identification of the next IPv4 packet
	conns   map[ends]*conn
	order   []ends // of conns, oldest first
	opened  uint32 // connections so far
	err     error
	closed  bool
}

// New begins a file on w: one Ethernet interface, nanoseconds. Each packet has reached w when Packet returns, so
// what was recorded is readable however the program ends. The caller closes w, after Close.
func New(w io.Writer) (*Writer, error) {
	const comment = "Messages, times and addresses are real. Ethernet addresses, TCP handshakes, sequence numbers and " +
		"acknowledgements are made up: they were recorded by a program that takes part, not off a wire."
	opt := pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: "dplay", Comment: comment}}
	out, err := pcapgo.NewNgWriterInterface(w, pcapgo.NgInterface{Name: "dplay", LinkType: layers.LinkTypeEthernet,
		TimestampResolution: 9}, opt)
	if err != nil {
		return nil, err
	}
	if err := out.Flush(); err != nil {
		return nil, err
	}
	return &Writer{out: out, buf: gopacket.NewSerializeBuffer(), conns: map[ends]*conn{}}, nil
}

// Packet writes one message. Over TCP that is a segment or more from one end of a connection to the other, which
// begins here if it is new; otherwise a datagram. Data is not kept. Addresses have to be IPv4.
func (w *Writer) Packet(at time.Time, transport dpsp.Transport, from, to netip.AddrPort, data []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	from, to = unmap(from), unmap(to)
	switch {
	case w.closed:
		w.err = ErrClosed
		return
	case !from.Addr().Is4() || !to.Addr().Is4():
		w.fail(fmt.Errorf("from %s to %s: only IPv4 can be recorded", from, to))
		return
	}
	w.last = at
	if transport == dpsp.TCP {
		w.stream(from, to, data)
	} else {
		w.datagram(from, to, data)
	}
	w.flush()
}

// Packets returns the number of packets written so far, made up ones included.
func (w *Writer) Packets() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.packets
}

// Err returns the first error that there was, nil if there was none. Nothing was written after it.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Close ends all connections and gives the first error that there was. It may be called more than once.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.closed = true
		for _, k := range w.order {
			w.end(w.conns[k])
		}
		w.conns, w.order = nil, nil
		w.flush()
	}
	return w.err
}

func unmap(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

func (w *Writer) flush() {
	if w.err == nil {
		w.err = w.out.Flush()
	}
}

// fail notes an error and says whether there is one.
func (w *Writer) fail(err error) bool {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("packet %d: %w", w.packets+1, err)
	}
	return w.err != nil
}

// datagram writes a UDP datagram.
func (w *Writer) datagram(from, to netip.AddrPort, data []byte) {
	if len(data) > maxDatagram {
		w.fail(fmt.Errorf("a datagram of %d octets: at most %d are possible", len(data), maxDatagram))
		return
	}
	ip := w.ipv4(from.Addr(), to.Addr(), layers.IPProtocolUDP)
	udp := &layers.UDP{SrcPort: layers.UDPPort(from.Port()), DstPort: layers.UDPPort(to.Port())}
	if w.fail(udp.SetNetworkLayerForChecksum(ip)) {
		return
	}
	w.frame(from.Addr(), to.Addr(), ip, udp, gopacket.Payload(data))
}

func (w *Writer) ipv4(from, to netip.Addr, proto layers.IPProtocol) *layers.IPv4 {
	w.ids++
	return &layers.IPv4{Version: 4, IHL: 5, TTL: 128, Id: w.ids, Flags: layers.IPv4DontFragment, Protocol: proto,
		SrcIP: from.AsSlice(), DstIP: to.AsSlice()}
}

// frame writes one packet.
func (w *Writer) frame(from, to netip.Addr, l ...gopacket.SerializableLayer) {
	if w.err != nil {
		return
	}
	eth := &layers.Ethernet{SrcMAC: hardware(from), DstMAC: hardware(to), EthernetType: layers.EthernetTypeIPv4}
	opt := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	if w.fail(gopacket.SerializeLayers(w.buf, opt, append([]gopacket.SerializableLayer{eth}, l...)...)) {
		return
	}
	b := w.buf.Bytes()
	if !w.fail(w.out.WritePacket(gopacket.CaptureInfo{Timestamp: w.last, CaptureLength: len(b), Length: len(b)}, b)) {
		w.packets++
	}
}

// hardware makes a locally administered Ethernet address out of an IPv4 address; that of everybody for everybody.
func hardware(a netip.Addr) []byte {
	b := a.As4()
	if b == [4]byte{255, 255, 255, 255} {
		return []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	}
	return []byte{0x02, 0x00, b[0], b[1], b[2], b[3]}
}
