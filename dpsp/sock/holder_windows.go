package sock

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	iphlpapi    = windows.NewLazySystemDLL("iphlpapi.dll")
	tableOfTCP  = iphlpapi.NewProc("GetExtendedTcpTable")
	tableOfUDP  = iphlpapi.NewProc("GetExtendedUdpTable")
	mostHeld    = 16 << 20   // octets of a table
	listenerTCP = uintptr(3) // TCP_TABLE_OWNER_PID_LISTENER
	ownerUDP    = uintptr(1) // UDP_TABLE_OWNER_PID
)

// A rowTCP is MIB_TCPROW_OWNER_PID, a rowUDP MIB_UDPROW_OWNER_PID. Addresses and ports are in network order, in the low octets.
type (
	rowTCP struct{ state, addr, port, remote, remotePort, process uint32 }
	rowUDP struct{ addr, port, process uint32 }
)

// boundSockets finds IPv4 sockets in a table of the system.
func boundSockets(network string, at netip.Addr) (all []Holding, ok bool) {
	add := func(addr, port, process uint32) {
		own := netip.AddrFrom4(*(*[4]byte)(unsafe.Pointer(&addr)))
		if !at.Unmap().Is4() || at.IsUnspecified() || own.IsUnspecified() || own == at.Unmap() {
			all = append(all, Holding{uint16(port)<<8 | uint16(port)>>8&0xFF, uint64(process)})
		}
	}
	if network == "TCP" {
		b, ok := ownerTable(tableOfTCP, listenerTCP)
		for _, r := range rows[rowTCP](b) {
			add(r.addr, r.port, r.process)
		}
		return all, ok
	}
	b, ok := ownerTable(tableOfUDP, ownerUDP)
	for _, r := range rows[rowUDP](b) {
		add(r.addr, r.port, r.process)
	}
	return all, ok
}

// ownerTable returns a table of the system with the processes of sockets.
func ownerTable(of *windows.LazyProc, class uintptr) (table []uint32, ok bool) {
	if of.Find() != nil {
		return nil, false
	}
	size := uint32(16 << 10)
	for size <= uint32(mostHeld) {
		table = make([]uint32, size/4+1)
		size = uint32(len(table) * 4)
		code, _, _ := of.Call(uintptr(unsafe.Pointer(&table[0])), uintptr(unsafe.Pointer(&size)), 0, windows.AF_INET, class, 0)
		switch windows.Errno(code) {
		case 0:
			return table, true
		case windows.ERROR_INSUFFICIENT_BUFFER:
			size += size / 4 // for those that come in between
		default:
			return nil, false
		}
	}
	return nil, false
}

// rows returns the rows of a table, which begins with their number.
func rows[R any](table []uint32) []R {
	if len(table) == 0 {
		return nil
	}
	n := int(table[0])
	if room := (len(table) - 1) * 4 / int(unsafe.Sizeof(*new(R))); n < 0 || n > room {
		n = room
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*R)(unsafe.Pointer(&table[1])), n)
}

// processes names the processes of sockets.
func processes(all []Holding) []string {
	names := make([]string, len(all))
	for i, h := range all {
		if name := programOf(uint32(h.socket)); name != "" {
			names[i] = fmt.Sprintf("%s (process %d)", name, h.socket)
		} else if h.socket != 0 {
			names[i] = fmt.Sprintf("process %d", h.socket)
		}
	}
	return names
}

// programOf returns the file of a process's program, "" if that cannot be found out.
func programOf(process uint32) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, process)
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing was written
	path := make([]uint16, windows.MAX_LONG_PATH)
	n := uint32(len(path))
	if windows.QueryFullProcessImageName(h, 0, &path[0], &n) != nil {
		return ""
	}
	return filepath.Base(windows.UTF16ToString(path[:n]))
}
