package link

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"sync"
)

// signalMost is the size in octets of the largest signal.
const signalMost = 16 << 10

// A signal is what both sides of a link tell each other for its own sake, on a stream of its own. Fields that are not set are not
// meant.
type signal struct {
	Relayed  []netip.AddrPort `json:"relayed,omitempty"`  // where the sender is reached from now on
	NoDirect bool             `json:"noDirect,omitempty"` // the sender wants no direct connection
	Attempt  uint32           `json:"attempt,omitempty"`  // at a direct connection; all below belongs to it
	User     string           `json:"user,omitempty"`
	Password string           `json:"password,omitempty"`
	// Candidate is one of the sender's addresses, as ICE writes it.
	Candidate string `json:"candidate,omitempty"`
}

// A signals is the stream that signals go over.
type signals struct {
	mu     sync.Mutex
	stream io.ReadWriter
}

// send writes a signal. One that is lost is lost with the link.
func (s *signals) send(m signal) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = s.stream.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(b))), b...))
	return err
}

// receive reads the next signal.
func (s *signals) receive() (m signal, err error) {
	var n uint16
	if err = binary.Read(s.stream, binary.BigEndian, &n); err != nil {
		return m, err
	}
	if n > signalMost {
		return m, fmt.Errorf("a signal of %d octets", n)
	}
	b := make([]byte, n)
	if _, err = io.ReadFull(s.stream, b); err != nil {
		return m, err
	}
	return m, json.Unmarshal(b, &m)
}
