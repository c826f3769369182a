package sim

import (
	"bytes"

	"dplay4/wire"
)

// A release before views and this one are legacy machines to each other. So an engine without the extension stands for one, with the mark
// of such a release: a connection to it that breaks is made again.

// outdate notes on the timeline which machines have an older release.
func (w *World) outdate() {
	for _, l := range w.lanes {
		if l.older {
			w.moment(l, "older", "has an older release")
		}
	}
}

// marksOlder gives the service provider data of a program, where they are in octets that it sends, the mark of an older release.
func (p *process) marksOlder(octets []byte) {
	d := wire.SPData{Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: p.datagramPort()}}
	plain := d.Append(nil)[wire.SockAddrSize:]
	d.MarkOlder()
	marked := d.Append(nil)[wire.SockAddrSize:]
	for i := bytes.Index(octets, plain); i >= 0; i = bytes.Index(octets, plain) {
		copy(octets[i:], marked)
	}
}
