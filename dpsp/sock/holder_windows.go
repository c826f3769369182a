package sock

import (
	"fmt"
	"math/bits"
	"net/netip"
	"path/filepath"
	"slices"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	iphlpapi = windows.NewLazySystemDLL("iphlpapi.dll")
	mostHeld = 16 << 20 // octets of a table
)

// An ownerTable is a table of sockets and their processes. Addresses and ports are in network order, in the low octets.
type ownerTable struct {
	proc                     *windows.LazyProc
	class                    uintptr
	row, addr, port, process int // how many numbers a row has, and which of them is what
}

var ownerTables = map[string]ownerTable{
	"TCP": {iphlpapi.NewProc("GetExtendedTcpTable"), 3, 6, 1, 2, 5}, // TCP_TABLE_OWNER_PID_LISTENER: MIB_TCPROW_OWNER_PID
	"UDP": {iphlpapi.NewProc("GetExtendedUdpTable"), 1, 3, 0, 1, 2}, // UDP_TABLE_OWNER_PID: MIB_UDPROW_OWNER_PID
}

// boundSockets finds IPv4 sockets in a table of the system.
func boundSockets(network string, at netip.Addr) (all []Holding, ok bool) {
	t := ownerTables[network]
	rows, ok := t.read()
	for r := range slices.Chunk(rows, t.row) {
		own := netip.AddrFrom4(*(*[4]byte)(unsafe.Pointer(&r[t.addr])))
		if !at.Unmap().Is4() || at.IsUnspecified() || own.IsUnspecified() || own == at.Unmap() {
			all = append(all, Holding{bits.ReverseBytes16(uint16(r[t.port])), uint64(r[t.process])})
		}
	}
	return all, ok
}

// read returns the rows of a table. The system begins it with their number.
func (t ownerTable) read() (rows []uint32, ok bool) {
	if t.proc.Find() != nil {
		return nil, false
	}
	size := uint32(16 << 10)
	for size <= uint32(mostHeld) {
		table := make([]uint32, size/4+1)
		size = uint32(len(table) * 4)
		code, _, _ := t.proc.Call(uintptr(unsafe.Pointer(&table[0])), uintptr(unsafe.Pointer(&size)), 0, windows.AF_INET, t.class, 0)
		switch windows.Errno(code) {
		case 0:
			rows = table[1:]
			return rows[:t.row*int(min(uint(table[0]), uint(len(rows)/t.row)))], true
		case windows.ERROR_INSUFFICIENT_BUFFER:
			size += size / 4 // for those that come in between
		default:
			return nil, false
		}
	}
	return nil, false
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
