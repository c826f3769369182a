package captures_test

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net/netip"
	"strings"

	"dplay4/wire"
	"dplay4/wire/reliable"
)

// A traffic is a capture that is made while it is read: sessions that begin and end all the time, joins, game
// messages by TCP and UDP, lost and reordered segments, fragments of which the rest never comes, and other
// protocols. Equal seeds give equal captures.
type traffic struct {
	left   int64 // octets still to be made
	buf    []byte
	at     int // what of buf was read
	rnd    *rand.Rand
	now    uint64 // microseconds
	game   []*party
	parted uint32
	script func(t *traffic) // makes some frames
	id     uint16
	frames int
}

// A party is one session between two machines.
type party struct {
	host, joiner netip.Addr
	seq          [2]uint32 // of the host's and the joiner's stream
	port         uint16
	steps        int
	late         []byte // a frame that comes out of order
}

const captureHeader = "\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04\x00\x65\x00\x00\x00" // raw IP

func newTraffic(octets int64, script func(*traffic)) *traffic {
	return &traffic{left: octets, buf: []byte(captureHeader), rnd: rand.New(rand.NewPCG(1, 2)), script: script, now: 1e15}
}

// Read implements io.Reader.
func (t *traffic) Read(p []byte) (int, error) {
	for t.at == len(t.buf) {
		if t.left <= 0 {
			return 0, io.EOF
		}
		t.buf, t.at = t.buf[:0], 0
		for len(t.buf) < 64<<10 {
			t.script(t)
		}
		t.left -= int64(len(t.buf))
	}
	n := copy(p, t.buf[t.at:])
	t.at += n
	return n, nil
}

// ip begins a frame: the record header, and an IPv4 header for a payload of n octets.
func (t *traffic) ip(src, dst netip.Addr, proto byte, n int, flags uint16) {
	t.now += 20
	t.id++
	t.frames++
	t.buf = binary.LittleEndian.AppendUint32(t.buf, uint32(t.now/1e6))
	t.buf = binary.LittleEndian.AppendUint32(t.buf, uint32(t.now%1e6))
	t.buf = binary.LittleEndian.AppendUint32(t.buf, uint32(20+n))
	t.buf = binary.LittleEndian.AppendUint32(t.buf, uint32(20+n))
	t.buf = append(t.buf, 0x45, 0)
	t.buf = binary.BigEndian.AppendUint16(t.buf, uint16(20+n))
	t.buf = binary.BigEndian.AppendUint16(t.buf, t.id)
	t.buf = binary.BigEndian.AppendUint16(t.buf, flags)
	t.buf = append(t.buf, 64, proto, 0, 0)
	s, d := src.As4(), dst.As4()
	t.buf = append(append(t.buf, s[:]...), d[:]...)
}

func (t *traffic) udp(src, dst netip.Addr, sport, dport uint16, payload []byte) {
	t.ip(src, dst, 17, 8+len(payload), 0)
	t.udpHeader(sport, dport, len(payload))
	t.buf = append(t.buf, payload...)
}

func (t *traffic) udpHeader(sport, dport uint16, n int) {
	t.buf = binary.BigEndian.AppendUint16(t.buf, sport)
	t.buf = binary.BigEndian.AppendUint16(t.buf, dport)
	t.buf = binary.BigEndian.AppendUint16(t.buf, uint16(8+n))
	t.buf = append(t.buf, 0, 0)
}

// fragment is the first fragment of a datagram, of which no other comes.
func (t *traffic) fragment(src, dst netip.Addr, sport, dport uint16, payload []byte) {
	n := (8 + len(payload)) &^ 7
	t.ip(src, dst, 17, n, 0x2000)
	at := len(t.buf)
	t.udpHeader(sport, dport, 9000)
	t.buf = append(t.buf, payload...)
	t.buf = t.buf[:at+n]
}

const tcpSYN, tcpFIN, tcpACK = 2, 1, 16

func (t *traffic) tcp(src, dst netip.Addr, sport, dport uint16, seq uint32, flags byte, payload []byte) {
	t.ip(src, dst, 6, 20+len(payload), 0)
	t.buf = binary.BigEndian.AppendUint16(t.buf, sport)
	t.buf = binary.BigEndian.AppendUint16(t.buf, dport)
	t.buf = binary.BigEndian.AppendUint32(t.buf, seq)
	t.buf = append(t.buf, 0, 0, 0, 0, 0x50, flags, 0xff, 0xff, 0, 0, 0, 0)
	t.buf = append(t.buf, payload...)
}

// games is a script: many sessions at once.
func games(t *traffic) {
	const parties = 200
	if len(t.game) < parties {
		t.join()
		return
	}
	i := t.rnd.IntN(parties)
	p := t.game[i]
	t.play(p)
	if p.steps--; p.steps <= 0 {
		if t.rnd.IntN(2) == 0 {
			t.tcp(p.joiner, p.host, p.port, 2300, p.seq[1], tcpFIN|tcpACK, nil)
		}
		t.game = append(t.game[:i], t.game[i+1:]...)
	}
}

// join begins a session: two machines that were not there before.
func (t *traffic) join() {
	t.parted++
	p := &party{port: uint16(1024 + t.parted%60000), steps: 50 + t.rnd.IntN(400), seq: [2]uint32{t.rnd.Uint32(), t.rnd.Uint32()}}
	p.host = netip.AddrFrom4([4]byte{10, byte(t.parted >> 16), byte(t.parted >> 8), byte(t.parted)})
	p.joiner = netip.AddrFrom4([4]byte{11, byte(t.parted >> 16), byte(t.parted >> 8), byte(t.parted)})
	t.game = append(t.game, p)
	t.udp(p.joiner, p.host, p.port, 47624, sys(2300, &wire.EnumSessions{}))
	t.tcp(p.host, p.joiner, p.port, 2300, p.seq[0], tcpSYN, nil)
	t.tcp(p.joiner, p.host, p.port, 2300, p.seq[1], tcpSYN, nil)
	p.seq[0]++
	p.seq[1]++
	var g wire.GUID
	binary.LittleEndian.PutUint32(g[:], t.parted)
	t.say(p, 0, sys(2300, &wire.EnumSessionsReply{Desc: wire.SessionDesc{Instance: g}, Name: wire.NewText("A session")}))
	t.say(p, 1, sys(2300, &wire.RequestPlayerID{Flags: 9}))
	id := wire.PlayerID(t.parted << 3)
	t.say(p, 0, sys(2300, &wire.SuperEnumPlayersReply{Desc: wire.SessionDesc{Instance: g}, Name: wire.NewText("A session"),
		Players: []wire.SuperPackedPlayer{{ID: id, Flags: wire.PlayerSystem, SPData: spData("0.0.0.0:2300", "0.0.0.0:2350")},
			{ID: id + 1, ShortName: wire.NewText("Nobleman"), Owner: uint32(id)}}}))
	t.say(p, 1, sys(2300, &wire.CreatePlayer{Info: wire.PackedPlayer{ID: id + 2, ShortName: wire.NewText("Knight"),
		SPData: spData("0.0.0.0:2300", "0.0.0.0:2350")}}))
}

// noise is what payloads are made of.
var noise = func() []byte {
	r := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, 1<<20)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}()

// gameMessage makes a game message of n octets of payload on its way to a socket.
func (t *traffic) gameMessage(n int) []byte {
	b := game(2300, 5, 0, "")
	binary.LittleEndian.PutUint32(b, uint32(28+n)|0xfab<<20)
	at := t.rnd.IntN(len(noise) - n)
	return append(b, noise[at:at+n]...)
}

// play is one step of a session.
func (t *traffic) play(p *party) {
	from := t.rnd.IntN(2)
	a, b := p.host, p.joiner
	if from == 1 {
		a, b = b, a
	}
	switch k := t.rnd.IntN(100); {
	case k < 30:
		t.say(p, from, t.gameMessage(t.rnd.IntN(60)))
	case k < 40:
		t.say(p, from, t.gameMessage(t.rnd.IntN(20_000)))
	case k < 75:
		t.udp(a, b, 2350, 2350, t.gameMessage(t.rnd.IntN(400))[20:])
	case k < 80:
		t.udp(a, b, 2350, 2350, sys(2300, &wire.Ping{From: 5, Tick: uint32(t.now)}))
	case k < 82:
		t.fragment(a, b, 2350, 2350, t.gameMessage(1400)[20:])
	case k < 84:
		t.udp(a, b, 2350, 2350, t.unfinished())
	case k < 92:
		t.udp(a, b, 53, 1050, noise[:100])
	default: // another protocol, each time a new connection
		t.tcp(a, b, uint16(t.rnd.Uint32()), 80, t.rnd.Uint32(), tcpACK, noise[:1400])
	}
}

// unfinished is a PACKET of a message of which the rest never comes.
func (t *traffic) unfinished() []byte {
	var g wire.GUID
	binary.LittleEndian.PutUint64(g[:], t.rnd.Uint64())
	return sys(2300, &wire.Packet{ID: g, Index: 1, Total: 4, Offset: 1000, MessageSize: 4000,
		Data: wire.Inner{Octets: noise[:1000]}})
}

// say sends the next octets of a stream, in segments, some of which are lost, and some late.
func (t *traffic) say(p *party, from int, b []byte) {
	a, c := p.host, p.joiner
	if from == 1 {
		a, c = c, a
	}
	for len(b) > 0 {
		n := min(len(b), 1400)
		k := t.rnd.IntN(200)
		if k != 0 { // not lost
			at := len(t.buf)
			t.tcp(a, c, p.port, 2300, p.seq[from], tcpACK, b[:n])
			switch {
			case k < 4 && p.late == nil:
				p.late = append(p.late, t.buf[at:]...)
				t.buf = t.buf[:at]
			case p.late != nil:
				t.buf = append(t.buf, p.late...)
				p.late = nil
			case k < 8:
				t.buf = append(t.buf, t.buf[at:]...) // retransmitted
			}
		}
		p.seq[from] += uint32(n)
		b = b[n:]
	}
}

// hostile is a script: everything that is remembered, as much of it as fits into the octets.
func hostile(t *traffic) {
	t.parted++
	a := netip.AddrFrom4([4]byte{10, byte(t.parted >> 16), byte(t.parted >> 8), byte(t.parted)})
	b := netip.AddrFrom4([4]byte{11, byte(t.rnd.Uint32()), byte(t.rnd.Uint32()), byte(t.rnd.Uint32())})
	udp := func(m wire.Message) { t.udp(a, b, 2350, 2350, sys(uint16(t.rnd.Uint32()), m)) }
	var g wire.GUID
	binary.LittleEndian.PutUint64(g[:], t.rnd.Uint64())
	info := wire.PackedPlayer{ID: wire.PlayerID(t.rnd.Uint32()), ShortName: wire.NewText(strings.Repeat("n", 130)),
		SPData: make([]byte, 32)}
	for i := range info.SPData {
		info.SPData[i] = byte(t.rnd.Uint32())
	}
	info.SPData[0], info.SPData[1], info.SPData[16], info.SPData[17] = 2, 0, 2, 0
	switch t.rnd.IntN(8) {
	case 0:
		udp(&wire.CreatePlayer{Info: info})
	case 1:
		udp(&wire.EnumSessionsReply{Desc: wire.SessionDesc{Instance: g, Flags: wire.SessionDirectPlayProtocol}, Name: info.ShortName})
	case 2: // a frame of the reliable protocol, on a socket that is known
		f := reliable.Frame{From: uint16(t.rnd.Uint32()), To: uint16(t.rnd.Uint32() % 100), Flags: reliable.CMD | reliable.RLY,
			MessageID: uint8(t.rnd.Uint32() % 20), Sequence: uint8(t.rnd.Uint32()), Data: noise[:t.rnd.IntN(1400)]}
		t.udp(netip.AddrFrom4([4]byte{10, 0, 0, 1}), netip.AddrFrom4([4]byte{10, 0, 0, byte(t.rnd.Uint32())}), 2350, 2350, frame(f))
	case 3: // one octet of a large message
		for range 10 {
			udp(&wire.Packet2Data{ID: wire.GUID{byte(t.rnd.Uint32())}, Index: 1, Total: 1000, Offset: t.rnd.Uint32() % 1_000_000,
				MessageSize: 1_000_000, Data: wire.Inner{Octets: noise[:1]}})
		}
	case 4: // an unfinished message on a stream that goes on for ever
		p := &party{host: netip.AddrFrom4([4]byte{12, 0, byte(t.rnd.Uint32() % 8), byte(t.rnd.Uint32())}), port: 1025}
		if len(t.game) < 3000 {
			t.tcp(p.host, b, p.port, 2300, 0, tcpSYN, nil)
			t.game = append(t.game, &party{host: p.host, joiner: b, seq: [2]uint32{1}, port: p.port})
			return
		}
		p = t.game[t.rnd.IntN(len(t.game))]
		t.tcp(p.host, p.joiner, p.port, 2300, p.seq[0], tcpACK, resize(t.gameMessage(1300), 0xfffff))
		p.seq[0] += 1328
	case 5: // octets behind a gap
		p := &party{host: a, joiner: b, seq: [2]uint32{t.rnd.Uint32()}, port: 1026}
		t.tcp(p.host, p.joiner, p.port, 2300, p.seq[0], tcpACK, t.gameMessage(100))
		t.tcp(p.host, p.joiner, p.port, 2300, p.seq[0]+1000, tcpACK, noise[:1400])
	case 6:
		t.fragment(a, b, 2350, 2350, noise[:t.rnd.IntN(1400)])
	case 7: // new sockets, new connections
		t.tcp(a, b, uint16(t.rnd.Uint32()), uint16(t.rnd.Uint32()), 0, tcpACK,
			sys(uint16(t.rnd.Uint32()), &wire.DeletePlayer{Player: 5}))
	}
}
