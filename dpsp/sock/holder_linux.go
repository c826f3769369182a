package sock

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dplay4/wire"
)

// holders names the processes that have ports of a range at an address, or at all addresses, as "dplay (process 123)", each
// once, by the ports; nil if that cannot be found out. For no address in particular it is any process that has such a port. What
// is another user's is "another program" as a rule.
func holders(network string, at netip.Addr, ports wire.Ports) (names []string) {
	inodes := socketInodes("/proc/net/"+strings.ToLower(network), at, ports)
	if len(inodes) == 0 {
		return nil
	}
	process := map[string]string{} // by the link of the socket
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil && strings.HasPrefix(to, "socket:") {
			process[to] = filepath.Dir(filepath.Dir(l))
		}
	}
	for _, inode := range inodes {
		name := "another program"
		if dir := process["socket:["+inode+"]"]; dir != "" {
			comm, _ := os.ReadFile(filepath.Join(dir, "comm"))
			name = fmt.Sprintf("%s (process %s)", strings.TrimSpace(string(comm)), filepath.Base(dir))
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// socketInodes finds bound IPv4 sockets in a table of the kernel, by their ports: columns are sl, local_address, rem_address,
// st, queues, timers, retransmits, uid, timeout, inode.
func socketInodes(table string, at netip.Addr, ports wire.Ports) (inodes []string) {
	b, err := os.ReadFile(table)
	if err != nil {
		return nil
	}
	found := map[uint16][]string{}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) < 10 || f[3] != "0A" && f[3] != "07" { // TCP listens, UDP is unconnected
			continue
		}
		if port, held := holds(f[1], at); held && ports.First <= port && port <= ports.Last {
			found[port] = append(found[port], f[9])
		}
	}
	for p := int(ports.First); p <= int(ports.Last); p++ {
		inodes = append(inodes, found[uint16(p)]...)
	}
	return inodes
}

// holds returns the port of a local address of that table, such as 0100007F:BA07 for 127.0.0.1, and whether it keeps others
// from that port at an address.
func holds(local string, at netip.Addr) (port uint16, held bool) {
	address, digits, _ := strings.Cut(local, ":")
	n, err := strconv.ParseUint(digits, 16, 16)
	if err != nil {
		return 0, false
	}
	a := at.Unmap()
	if !a.Is4() || a.IsUnspecified() || address == "00000000" {
		return uint16(n), true
	}
	b := a.As4()
	return uint16(n), address == fmt.Sprintf("%08X", binary.NativeEndian.Uint32(b[:])) // as the machine holds what the network wrote
}
