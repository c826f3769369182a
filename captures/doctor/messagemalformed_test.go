package doctor

import (
	"encoding/binary"

	"dplay4/wire"
)

// cut gives a message that ends early, and says so in its header.
func cut(b []byte, n int) []byte {
	b = b[:len(b)-n]
	binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)&^0xfffff|uint32(len(b)))
	return b
}

func init() {
	examples["message-malformed"] = []example{
		{name: "too short, twice", want: []string{joinerIP + ` ("player 257") sent DELETEPLAYER to ` + hostIP + " that cannot be read, twice"}, capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			for range 2 {
				n.conn(joinerIP+":4100", hostIP+":2300").send(cut(sys(2300, &wire.DeletePlayer{Player: 0x101}), 12))
			}
		}},
		{name: "of the extension", capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			n.conn(joinerIP+":4100", hostIP+":2300").send(cut(sys(2300, wire.NewExtension(0x100, &wire.ExtensionHello{})), 1))
		}},
		{name: "whole", capture: healthy},
	}
}
