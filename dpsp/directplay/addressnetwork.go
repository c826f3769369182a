package directplay

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf16"

	"dplay4/wire"
)

// ComPort is DPCOMPORTADDRESS, a serial port.
type ComPort struct {
	Port        uint32 // 1 to 4
	BaudRate    uint32
	StopBits    uint32
	Parity      uint32
	FlowControl uint32
}

const comPortSize = 20

// Network is what an address says.
type Network struct {
	Provider wire.GUID // zero if it names none
	Lobby    bool      // Provider is one for lobbies
	Named    bool      // it has a chunk for the machine, and be it empty
	Host     string    // the machine's name or number; empty: whoever is on the local network
	Port     uint16    // zero: the usual one
	Phone    string
	Modem    string
	Serial   *ComPort
}

// ReadAddress returns what an address says. Wide text counts before 8-bit text. Chunks of types that are not known say nothing.
func ReadAddress(b []byte) (Network, error) {
	chunks, err := ParseAddress(b)
	if err != nil {
		return Network{}, err
	}
	var n Network
	for i, c := range chunks {
		if err := n.read(c); err != nil {
			return Network{}, fmt.Errorf("%w: chunk %d, %v, %d octets", err, i, c.Type, len(c.Data))
		}
	}
	return n, nil
}

func (n *Network) read(c Chunk) error {
	text := func(to *string, wide bool) {
		if wide {
			*to = wideString(c.Data)
		} else if *to == "" {
			*to = narrowString(c.Data)
		}
	}
	switch c.Type {
	case AddressServiceProvider, AddressLobbyProvider:
		if len(c.Data) != 16 {
			return ErrChunkSize
		}
		n.Provider, n.Lobby = wire.GUID(c.Data), c.Type == AddressLobbyProvider
	case AddressINet, AddressINetW:
		n.Named = true
		text(&n.Host, c.Type == AddressINetW)
	case AddressINetPort:
		if len(c.Data) != 2 {
			return ErrChunkSize
		}
		n.Port = binary.LittleEndian.Uint16(c.Data)
	case AddressPhone, AddressPhoneW:
		text(&n.Phone, c.Type == AddressPhoneW)
	case AddressModem, AddressModemW:
		text(&n.Modem, c.Type == AddressModemW)
	case AddressComPort:
		return n.readComPort(c.Data)
	}
	return nil
}

func (n *Network) readComPort(b []byte) error {
	if len(b) != comPortSize {
		return ErrChunkSize
	}
	u := func(i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
	n.Serial = &ComPort{Port: u(0), BaudRate: u(1), StopBits: u(2), Parity: u(3), FlowControl: u(4)}
	return nil
}

// Data returns the chunk's octets.
func (c ComPort) Data() []byte {
	b := make([]byte, 0, comPortSize)
	for _, v := range [...]uint32{c.Port, c.BaudRate, c.StopBits, c.Parity, c.FlowControl} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// narrowString returns 8-bit text up to its end, or all of it without one: names of machines are ASCII.
func narrowString(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return string(r)
}

// wideString returns UTF-16LE text up to its end, or all of it without one.
func wideString(b []byte) string {
	var u []uint16
	for ; len(b) >= 2; b = b[2:] {
		w := binary.LittleEndian.Uint16(b)
		if w == 0 {
			break
		}
		u = append(u, w)
	}
	return string(utf16.Decode(u))
}

// Dialog is what a player would have written into the dialog of Microsoft's DirectPlay, which asks for an address where the
// game gives none. The user's configuration says it instead.
type Dialog struct {
	Host string // empty: whoever is on the local network
	Port uint16 // zero: the usual one
}

// Answered returns what an address says once the dialog has been asked, if it has to be: one that names no machine at all,
// not even an empty one, takes the configuration's. A port that the address has stays.
func (n Network) Answered(d Dialog) Network {
	if n.Named {
		return n
	}
	n.Named, n.Host = true, d.Host
	if n.Port == 0 {
		n.Port = d.Port
	}
	return n
}

// Local reports whether the address is that of nobody in particular: everybody on the local network is asked.
func (n Network) Local() bool { return n.Host == "" || n.Host == "255.255.255.255" }
