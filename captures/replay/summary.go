package replay

import (
	"strings"

	"dplay4/wire"
)

// shownFields bounds the fields in a summary.
const shownFields = 6

// short returns the first fields of a message that say something.
func short(t *tree) string {
	var s []string
	leaves(t.parts, func(n *node) {
		if len(s) >= shownFields || n.Num == 0 && len(n.Raw) == 0 || header[n.Name] || strings.HasSuffix(n.Name, "Offset") ||
			strings.HasSuffix(n.Name, "Size") || strings.HasSuffix(n.Name, "Length") || n.Kind == wire.KindSockAddr {
			return
		}
		s = append(s, n.Name+"="+n.text())
	})
	return strings.Join(s, " ")
}

// header are the fields that stand before every message, and others that say nothing in a summary.
var header = map[string]bool{"size": true, "token": true, "SockAddr": true, "Signature": true, "Command": true, "Version": true,
	"PlayerVersion": true}

// options returns those that a message was read with. The message may be nil.
func (m *message) options() wire.Options {
	if m == nil {
		return wire.Options{}
	}
	return m.opts
}
