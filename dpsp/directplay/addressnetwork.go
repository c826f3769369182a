package directplay

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"dplay4/wire"
)

// chunkSizes are the sizes of the chunks that are no texts.
var chunkSizes = map[wire.GUID]int{AddressServiceProvider: 16, AddressLobbyProvider: 16, AddressINetPort: 2, AddressComPort: 20}

// Network is what an address says of a network. Where it does not name a machine Microsoft's provider asks the player in a dialog;
// here the configuration answers.
type Network struct {
	Provider wire.GUID // zero if it names none
	Host     *string   // a machine's name or number; empty: whoever is on the local network; nil: it does not say
	Port     uint16    // of our own sockets (dplobby.h); zero: the usual ones
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
	switch c.Type {
	case AddressServiceProvider, AddressLobbyProvider:
		n.Provider = wire.GUID(c.Data)
	case AddressINet:
		if deref(n.Host) == "" {
			host := narrowString(c.Data)
			n.Host = &host
		}
	case AddressINetW:
		host := wideString(c.Data)
		n.Host = &host
	case AddressINetPort:
		n.Port = binary.LittleEndian.Uint16(c.Data)
	}
	return nil
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
