//go:build !linux

package sock

import "net/netip"

// An outbox sends datagrams over a socket.
type outbox struct{ conn datagramSocket }

func newOutbox(c datagramSocket) outbox { return outbox{c} }

// add sends a datagram, which may get lost, here as anywhere.
func (o *outbox) add(to netip.AddrPort, data []byte) { o.conn.WriteToUDPAddrPort(data, to) }

// flush is for systems that send many at a time.
func (o *outbox) flush() {}

// A reader takes datagrams off a socket, one at a time.
type reader struct {
	conn datagramSocket
	data []byte
	told []byte
}

func newReader(c datagramSocket) (*reader, error) {
	return &reader{c, make([]byte, largest), make([]byte, toldMost)}, nil
}

// read waits until a datagram is there and hands it over, which is valid during the call.
func (r *reader) read(hand func(datagram)) error {
	n, told, _, from, err := r.conn.ReadMsgUDPAddrPort(r.data, r.told)
	if err != nil {
		return err
	}
	hand(datagram{netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), r.data[:n], r.told[:told]})
	return nil
}
