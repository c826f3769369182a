package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dplay4/captures"
)

// portHolder names the process that has a port, as "dplay (process 123)"; "" if that cannot be found out.
// Of other users' processes it seldom can.
func portHolder(network string, port uint16) string {
	for _, table := range []string{"/proc/net/" + network, "/proc/net/" + network + "6"} {
		inode := boundInode(table, port)
		if inode == "" {
			continue
		}
		links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
		for _, l := range links {
			if to, err := os.Readlink(l); err == nil && to == "socket:["+inode+"]" {
				process := filepath.Dir(filepath.Dir(l))
				name, _ := os.ReadFile(filepath.Join(process, "comm"))
				return fmt.Sprintf("%s (process %s)", captures.Printable(strings.TrimSpace(string(name))), filepath.Base(process))
			}
		}
	}
	return ""
}

// boundInode finds the socket that listens at a port in a table of the kernel. Its columns are sl, local_address,
// rem_address, st, queues, timers, retransmits, uid, timeout, inode.
func boundInode(table string, port uint16) string {
	b, err := os.ReadFile(table)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) < 10 || f[3] != "0A" && f[3] != "07" { // TCP listens, UDP is unconnected
			continue
		}
		if strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) {
			return f[9]
		}
	}
	return ""
}
