package sock

import (
	"net/netip"
	"slices"
	"unsafe"

	"golang.org/x/sys/windows"
)

// plainAdapters lists the adapters with IPv4 addresses. Go asks for those of IPv6 as well, with which Wine 10 fails as a whole
// where the machine has none (facts, 10.9).
func plainAdapters() (list []Adapter) {
	const without = windows.GAA_FLAG_SKIP_ANYCAST | windows.GAA_FLAG_SKIP_MULTICAST | windows.GAA_FLAG_SKIP_DNS_SERVER
	var first *windows.IpAdapterAddresses
	for size, tries := uint32(16<<10), 0; first == nil; tries++ { // what Microsoft's documentation begins with
		b := make([]byte, size)
		first = (*windows.IpAdapterAddresses)(unsafe.Pointer(unsafe.SliceData(b)))
		if err := windows.GetAdaptersAddresses(windows.AF_INET, without, 0, first, &size); err != nil {
			if err != windows.ERROR_BUFFER_OVERFLOW || size <= uint32(len(b)) || size > mostAdapters || tries == 3 {
				return nil
			}
			first = nil // it says how much it needs
		}
	}
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
