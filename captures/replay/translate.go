package replay

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"

	"dplay4/captures"
	"dplay4/wire"
)

// translate returns a message that a machine was sent as its engine has to get it: with our values for those of the
// recording. What is fed is known from then on: an id that nothing stands for yet stands for itself. Offsets and sizes
// stay, for all that is replaced has a fixed length; so messages that do not decode are translated up to that place.
func (m *mapping) translate(t captures.Transport, raw []byte, opts wire.Options) []byte {
	out := bytes.Clone(raw)
	tr := treeOf(t, out, opts)
	view := isView(tr)
	base := 0
	if t == captures.TCP || t != inFrames && len(raw) >= wire.SPHeaderSize+4 && wire.HasSignature(raw[wire.SPHeaderSize:]) {
		base = wire.SPHeaderSize
	}
	put := func(n *node, v uint32) {
		if at := base + n.Offset; at >= 0 && at+4 <= len(out) {
			binary.LittleEndian.PutUint32(out[at:], v)
		}
	}
	leaves(tr.parts, func(n *node) {
		switch {
		case n.Kind == wire.KindID:
			id := wire.PlayerID(n.Num)
			if nobody(id) {
				return
			}
			if _, known := m.ids.ours[id]; !known {
				m.ids.bind(id, id)
			}
			put(n, uint32(m.ids.own(id)))
		case isIncarnation(n):
			copy(n.Raw, m.runs.own(string(n.Raw)))
		case n.Name == nonce:
			put(n, m.asked.own(n.Num))
		case view && n.Name == "Message" && n.Kind == wire.KindOctets:
			m.opaque(n.Raw)
		case n.Kind == wire.KindGUID:
			g := m.guids.own(wire.GUID(n.Raw))
			copy(n.Raw, g[:])
		case isMask(n):
			put(n, m.masks.own(n.Num))
		case n.Name == tickCount:
			put(n, m.ticks.own(n.Num))
		}
	})
	return out
}

// isMask reports whether a field is Reserved1 of a session.
func isMask(n *node) bool {
	return n.Kind == wire.KindHex && (n.Name == "Reserved1" && n.Size == 4 || n.Name == "SessionReserved1")
}

// tickCount is the field of PING and PINGREPLY.
const tickCount = "TickCount"

// isView reports whether a message is an EXTENSION VIEW. In the octets of its operations are ids, and texts, with Reserved1.
func isView(t *tree) bool { return find(t.parts, "Step") != nil && find(t.parts, "Place") != nil }

// isIncarnation reports whether a field is the incarnation of a member of a view.
func isIncarnation(n *node) bool {
	return n.Kind == wire.KindOctets && n.Name == "Incarnation" && n.Size == 8
}

// nonce is the field of EXTENSION VIEW with the number of a question, or with a digest of a list.
const nonce = "Nonce"

// opaque puts our values for the recorded ones into octets: ids as words, masks as the text of their number, GUIDs as text.
func (m *mapping) opaque(b []byte) {
	for at := 0; at+4 <= len(b); at += 4 {
		id := wire.PlayerID(binary.LittleEndian.Uint32(b[at:]))
		if own, known := m.ids.ours[id]; known {
			binary.LittleEndian.PutUint32(b[at:], uint32(own))
		}
	}
	if at := bytes.Index(b, reserved1); at >= 0 && at+len(reserved1)+maskDigits <= len(b) {
		digits := b[at+len(reserved1):][:maskDigits]
		if v, err := strconv.ParseUint(string(digits), 16, 32); err == nil {
			copy(digits, fmt.Sprintf("%08x", m.masks.own(uint32(v))))
		}
	}
	if at := bytes.Index(b, instance); at >= 0 && at+len(instance)+guidDigits <= len(b) {
		text := b[at+len(instance):][:guidDigits]
		if g, err := wire.ParseGUID(string(text)); err == nil {
			copy(text, m.guids.own(g).String())
		}
	}
}

// instance stands before the instance of a session in its data, as a text of guidDigits.
var instance = []byte("instance=")

const guidDigits = 38

// reserved1 stands before the mask in the session data of an operation; maskDigits is how long that is.
var reserved1 = []byte("reserved1=0x")

const maskDigits = 8
