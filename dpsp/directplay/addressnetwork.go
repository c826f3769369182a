package directplay

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

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

// chunkSizes are the sizes of the chunks that are no texts.
var chunkSizes = map[wire.GUID]int{AddressServiceProvider: 16, AddressLobbyProvider: 16, AddressINetPort: 2, AddressComPort: comPortSize}

// Network is what an address says. Where it does not name a machine Microsoft's provider asks the player in a dialog; here the
// configuration answers.
type Network struct {
	Provider wire.GUID // zero if it names none
	Lobby    bool      // Provider is one for lobbies
	Host     *string   // a machine's name or number; empty: whoever is on the local network; nil: it does not say
	Port     uint16    // of our own sockets (dplobby.h); zero: the usual ones
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
	if size, fixed := chunkSizes[c.Type]; fixed && size != len(c.Data) {
		return ErrChunkSize
	}
	text := func(wide bool, before string) string {
		switch {
		case wide:
			return wideString(c.Data)
		case before == "":
			return narrowString(c.Data)
		}
		return before
	}
	switch c.Type {
	case AddressServiceProvider, AddressLobbyProvider:
		n.Provider, n.Lobby = wire.GUID(c.Data), c.Type == AddressLobbyProvider
	case AddressINet, AddressINetW:
		if n.Host == nil {
			n.Host = new(string)
		}
		*n.Host = text(c.Type == AddressINetW, *n.Host)
	case AddressINetPort:
		n.Port = binary.LittleEndian.Uint16(c.Data)
	case AddressPhone, AddressPhoneW:
		n.Phone = text(c.Type == AddressPhoneW, n.Phone)
	case AddressModem, AddressModemW:
		n.Modem = text(c.Type == AddressModemW, n.Modem)
	case AddressComPort:
		n.Serial = new(ComPort)
		binary.Decode(c.Data, binary.LittleEndian, n.Serial) //nolint:errcheck // it has the size
	}
	return nil
}

// Data returns the chunk's octets.
func (c ComPort) Data() []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, c) // a structure of numbers
	return b
}

// narrowString returns 8-bit text up to its end, or all of it without one: names of machines are ASCII.
func narrowString(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return string(r)
}

// wideString returns UTF-16LE text up to its end, or all of it without one.
func wideString(b []byte) string {
	s, _, _ := strings.Cut(Face{Wide: true}.Read(b), "\x00")
	return s
}
