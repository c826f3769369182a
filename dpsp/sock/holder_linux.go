package sock

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
)

// holder names the process that has an address and port, or the port at all addresses, as "dplay (process 123)"; "" if
// that cannot be found out. For no address in particular it is any process that has the port.
func holder(network string, at netip.AddrPort) string {
	inode := socketInode("/proc/net/"+network, at)
	if inode == "" {
		return ""
	}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil && to == "socket:["+inode+"]" {
			dir := filepath.Dir(filepath.Dir(l))
			name, _ := os.ReadFile(filepath.Join(dir, "comm"))
			return fmt.Sprintf("%s (process %s)", strings.TrimSpace(string(name)), filepath.Base(dir))
		}
	}
	return ""
}

// socketInode finds a bound IPv4 socket in a table of the kernel: columns are sl, local_address, rem_address,
// st, queues, timers, retransmits, uid, timeout, inode.
func socketInode(table string, at netip.AddrPort) string {
	b, err := os.ReadFile(table)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		bound := len(f) > 9 && (f[3] == "0A" || f[3] == "07") // TCP listens, UDP is unconnected
		if bound && holds(f[1], at) {
			return f[9]
		}
	}
	return ""
}

// holds says whether a local address of that table, such as 0100007F:BA07 for 127.0.0.1, keeps others from one.
func holds(local string, at netip.AddrPort) bool {
	address, port, _ := strings.Cut(local, ":")
	if port != fmt.Sprintf("%04X", at.Port()) {
		return false
	}
	a := at.Addr().Unmap()
	if !a.Is4() || a.IsUnspecified() || address == "00000000" {
		return true
	}
	b := a.As4()
	return address == fmt.Sprintf("%08X", binary.NativeEndian.Uint32(b[:])) // as the machine holds what the network wrote
}
