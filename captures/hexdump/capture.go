package hexdump

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"dplay4/captures/internal/link"
	"dplay4/captures/internal/pcapfile"
	"dplay4/dpsp"
	"dplay4/dpsp/recording"
	"dplay4/wire"
)

// Port is where messages without addresses come from, and go to: captures.Options.Ports has to name it.
const Port = 2350

// The made up ends of messages without addresses, of the block that RFC 5737 keeps for documents.
var (
	sender    = netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, 1}), Port)
	addressee = netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, 2}), Port)
)

// maxText is the most octets of text that Capture reads.
const maxText = 16 << 20

// Capture reads hexadecimal text and writes its messages to w as a capture file. Its error names the line and the column where the
// text is not hexadecimal.
func Capture(text io.Reader, w io.Writer) error {
	b, err := io.ReadAll(io.LimitReader(text, maxText+1))
	if err != nil {
		return err
	}
	if len(b) > maxText {
		return fmt.Errorf("hexadecimal text of more than %d octets: split it, or convert it with text2pcap", maxText)
	}
	messages, err := parse(b)
	if err != nil {
		return err
	}
	if len(messages) == 0 {
		return errors.New("the text has no octets")
	}
	out, err := recording.New(w)
	if err != nil {
		return err
	}
	var frames link.Decoder
	for i, m := range messages {
		if err := write(out, &frames, i+1, m); err != nil {
			return err
		}
	}
	return out.Close()
}

// write writes a message, or what a frame carries.
func write(out *recording.Writer, frames *link.Decoder, n int, octets []byte) error {
	at := time.Unix(0, 0)
	u := link.Unit{Proto: link.UDP, Src: sender, Dst: addressee, Payload: octets}
	if kind := frameKind(octets); kind != 0 {
		var s link.Status
		if u, s = frames.Decode(&pcapfile.Packet{Frame: n, Time: at, Link: kind, Data: octets, Length: len(octets)}); s.Kind != link.KindUnit {
			return fmt.Errorf("message %d is a frame without a whole TCP segment or UDP datagram: paste its payload alone", n)
		}
	} else {
		if wire.HasSignature(octets) {
			header := make([]byte, wire.SPHeaderSize, wire.SPHeaderSize+len(octets))
			binary.LittleEndian.PutUint32(header, uint32(wire.TokenRemote)<<20|uint32(wire.SPHeaderSize+len(octets))&0xfffff)
			header[4] = wire.FamilyINet
			u.Payload = append(header, octets...)
		}
		if isStream(u.Payload) {
			u.Proto = link.TCP
		}
	}
	if len(u.Payload) > 0 {
		out.Packet(at, transports[u.Proto], u.Src, u.Dst, u.Payload)
	}
	return nil
}

var transports = map[link.Proto]dpsp.Transport{link.TCP: dpsp.TCP, link.UDP: dpsp.UDP}

// frameKind returns what a frame begins with, 0 if the octets are none.
func frameKind(b []byte) pcapfile.LinkType {
	const ethernet = 14
	switch {
	case isIP(b):
		return pcapfile.LinkRaw
	case len(b) > ethernet && binary.BigEndian.Uint16(b[12:]) == 0x0800 && isIP(b[ethernet:]):
		return pcapfile.LinkEthernet
	}
	return 0
}

// isIP reports whether octets are a whole IPv4 packet with TCP or UDP. Ethernet may have filled it up.
func isIP(b []byte) bool {
	const header, shortest = 20, 46
	if len(b) < header || b[0]>>4 != 4 || b[0]&15 < header/4 || b[9] != byte(link.TCP) && b[9] != byte(link.UDP) {
		return false
	}
	size := int(binary.BigEndian.Uint16(b[2:]))
	return size == len(b) || size < len(b) && len(b) == shortest
}

// isStream reports whether octets have to have come over TCP: more than a datagram holds, or whole messages one after the
// other.
func isStream(b []byte) bool {
	const datagram = 65507
	if len(b) > datagram {
		return true
	}
	for n := 0; ; n++ {
		h, err := wire.ParseSPHeader(b)
		if err != nil || !h.Token.Known() || h.Size > len(b) {
			return false
		}
		if b = b[h.Size:]; len(b) == 0 {
			return n > 0
		}
	}
}
