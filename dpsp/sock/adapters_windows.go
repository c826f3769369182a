package sock

import (
	"net/netip"
	"slices"
	"unsafe"

	"golang.org/x/sys/windows"
)

// plainAdapters lists the adapters with IPv4 addresses. Go asks for those of IPv6 as well, with which Wine 10 fails as a whole
// where the machine has none (facts, 10.9).
func plainAdapters() []Adapter {
	const without = windows.GAA_FLAG_SKIP_ANYCAST | windows.GAA_FLAG_SKIP_MULTICAST | windows.GAA_FLAG_SKIP_DNS_SERVER
	for size := uint32(16 << 10); size <= mostAdapters; size *= 2 { // what Microsoft's documentation begins with
		b, needed := make([]byte, size), size
		first := (*windows.IpAdapterAddresses)(unsafe.Pointer(unsafe.SliceData(b)))
		switch windows.GetAdaptersAddresses(windows.AF_INET, without, 0, first, &needed) {
		case nil:
			return adaptersOf(first)
		case windows.ERROR_BUFFER_OVERFLOW:
		default:
			return nil
		}
	}
	return nil
}

// adaptersOf returns those of a list of the system that are up.
func adaptersOf(first *windows.IpAdapterAddresses) (list []Adapter) {
	broadcast := []uint32{windows.IF_TYPE_ETHERNET_CSMACD, windows.IF_TYPE_IEEE80211, windows.IF_TYPE_ISO88025_TOKENRING,
		windows.IF_TYPE_IEEE1394, windows.IF_TYPE_ATM}
	for a := first; a != nil; a = a.Next {
		if a.OperStatus != windows.IfOperStatusUp {
			continue
		}
		n := Adapter{Index: int(a.IfIndex), Name: windows.UTF16PtrToString(a.FriendlyName),
			Loopback: a.IfType == windows.IF_TYPE_SOFTWARE_LOOPBACK, Broadcast: slices.Contains(broadcast, a.IfType)}
		for u := a.FirstUnicastAddress; u != nil; u = u.Next {
			if at, ok := netip.AddrFromSlice(u.Address.IP()); ok {
				n.Addrs = append(n.Addrs, netip.PrefixFrom(at.Unmap(), min(int(u.OnLinkPrefixLength), 32)))
			}
		}
		list = append(list, n)
	}
	return list
}

// mostAdapters bounds what the list of adapters may take, in octets.
const mostAdapters = 4 << 20
