package sock

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// holder names the process that has a port, as "dplay (process 123)"; "" if that cannot be found out.
func holder(network string, port uint16) string {
	inode := socketInode("/proc/net/"+network, port)
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
func socketInode(table string, port uint16) string {
	b, err := os.ReadFile(table)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		bound := len(f) > 9 && (f[3] == "0A" || f[3] == "07") // TCP listens, UDP is unconnected
		if bound && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) {
			return f[9]
		}
	}
	return ""
}
