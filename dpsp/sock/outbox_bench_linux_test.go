package sock

import (
	"fmt"
	"net/netip"
	"testing"
)

// BenchmarkOutbox sends a datagram to some sockets, which nobody reads, in one call or one by one.
func BenchmarkOutbox(b *testing.B) {
	from := mailbox(b)
	for _, n := range []int{1, 2, 8, 64} {
		var to []netip.AddrPort
		for range n {
			to = append(to, addrPort(mailbox(b).LocalAddr()))
		}
		data := make([]byte, 72)
		o := newOutbox(from)
		b.Run(fmt.Sprint("together/", n), func(b *testing.B) {
			for range b.N {
				for _, at := range to {
					o.add(at, data)
				}
				o.flush()
			}
		})
		b.Run(fmt.Sprint("one-by-one/", n), func(b *testing.B) {
			for range b.N {
				for _, at := range to {
					from.WriteToUDPAddrPort(data, at)
				}
			}
		})
	}
}
