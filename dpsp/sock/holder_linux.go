package sock

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// processes names the processes of sockets, "" where the system does not tell.
func processes(all []Holding) []string {
	names := make([]string, len(all))
	if len(all) == 0 {
		return names
	}
	process := map[uint64]string{} // the name of each socket's process
	for _, h := range all {
		process[h.socket] = ""
	}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range folders {
		for socket := range socketsOf(dir) {
			// Wine's server has all sockets of its programs, and those only some of them: it is named for all, so that what belongs
			// to one program is known to belong together.
			now, asked := process[socket]
			if !asked {
				continue
			}
			comm, _ := os.ReadFile(filepath.Join(dir, "comm"))
			if now == "" || strings.HasPrefix(string(comm), "wineserver") {
				process[socket] = fmt.Sprintf("%s (process %s)", strings.TrimSpace(string(comm)), filepath.Base(dir))
			}
		}
	}
	for i, h := range all {
		names[i] = process[h.socket]
	}
	return names
}

// socketsOf returns the sockets of the process that a folder of /proc is about; none if it is another user's.
func socketsOf(dir string) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		d, err := os.Open(filepath.Join(dir, "fd"))
		if err != nil {
			return
		}
		defer d.Close()
		files, _ := d.Readdirnames(-1)
		var b [64]byte
		for _, f := range files {
			n, err := unix.Readlinkat(int(d.Fd()), f, b[:]) // a relative path, because there may be thousands
			if err != nil {
				continue
			}
			digits, _ := bytes.CutPrefix(b[:n], []byte("socket:["))
			socket, err := strconv.ParseUint(string(bytes.TrimSuffix(digits, []byte("]"))), 10, 64)
			if err == nil && !yield(socket) {
				return
			}
		}
	}
}

// boundSockets finds bound sockets in tables of the kernel: columns are sl, local_address, rem_address, st, queues, timers,
// retransmits, uid, timeout, inode. The tables are those of the network namespace of the calling thread. A socket at all addresses of
// IPv6 has the port for IPv4 as well, as a rule: the kernel does not tell of those that have not.
func boundSockets(network string, at netip.Addr) (all []Holding, ok bool) {
	table := "/proc/thread-self/net/" + strings.ToLower(network)
	four, err := os.ReadFile(table)
	if err != nil {
		return nil, false
	}
	six, _ := os.ReadFile(table + "6") // where there is no IPv6 there is none
	for line := range strings.Lines(string(four) + string(six)) {
		f := strings.Fields(line)
		if len(f) < 10 || f[3] != "0A" && f[3] != "07" { // TCP listens, UDP is unconnected
			continue
		}
		inode, err := strconv.ParseUint(f[9], 10, 64)
		if port, held := holds(f[1], at); held && err == nil {
			all = append(all, Holding{port, inode})
		}
	}
	return all, true
}

// holds returns the port of a local address of those tables, such as 0100007F:BA07 for 127.0.0.1, and whether it keeps others
// from that port at an address of IPv4.
func holds(local string, at netip.Addr) (port uint16, held bool) {
	address, digits, _ := strings.Cut(local, ":")
	n, err := strconv.ParseUint(digits, 16, 16)
	if err != nil {
		return 0, false
	}
	if strings.Trim(address, "0") == "" {
		return uint16(n), true
	}
	if a := at.Unmap(); a.Is4() && !a.IsUnspecified() {
		b := a.As4()
		return uint16(n), address == fmt.Sprintf("%08X", binary.NativeEndian.Uint32(b[:])) // as the machine holds what the network wrote
	}
	return uint16(n), len(address) == 8
}
