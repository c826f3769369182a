package directplay

import "dplay4/wire"

// Limits of what waits until a program asks for its lobby messages. What comes beyond is dropped.
const (
	maxLobbyMessages = 1024
	maxLobbyOctets   = 4 << 20
)

// lobbyQueue is the lobby messages that wait for a program.
type lobbyQueue struct {
	list   []lobbyMessage
	octets int
	notify func() // sets the program's event; nil without one
}

type lobbyMessage struct {
	flags uint32
	data  []byte
}

// put adds a message and returns what is to be called once the lobby is unlocked.
func (q *lobbyQueue) put(flags uint32, data []byte) func() {
	if len(q.list) < maxLobbyMessages && q.octets+len(data) <= maxLobbyOctets {
		q.list, q.octets = append(q.list, lobbyMessage{flags, data}), q.octets+len(data)
	}
	if q.notify == nil {
		return func() {}
	}
	return q.notify
}

// receive takes the first message if there is room for it.
func (q *lobbyQueue) receive(b *Buffer) (flags uint32, code wire.HResult) {
	if len(q.list) == 0 {
		return 0, wire.ErrNoMessages
	}
	m := q.list[0]
	code = b.put(Block{Data: m.data}, Face{})
	if code == wire.OK {
		q.list, q.octets = q.list[1:], q.octets-len(m.data)
	}
	return m.flags, code
}
