//go:build unix

package dropin

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// serverProcess returns the process that serves a prefix; 0 if none does. As long as there is one it has the registry in its
// memory, and overwrites the files at its end.
func serverProcess(prefix string) int {
	info, err := os.Stat(prefix)
	if err != nil {
		return 0
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	folder := fmt.Sprintf("server-%x-%x", stat.Dev, stat.Ino) // as Wine names its folder for a prefix
	if f, err := os.OpenFile(filepath.Join("/tmp", ".wine-"+strconv.Itoa(int(stat.Uid)), folder, "lock"), os.O_RDWR, 0); err == nil {
		defer f.Close()
		lock := syscall.Flock_t{Type: syscall.F_WRLCK, Len: 1}
		if syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock) == nil && lock.Type != syscall.F_UNLCK {
			return max(int(lock.Pid), 1)
		}
	}
	// One in a container, as of Steam or Flatpak, may have another /tmp; it works in that folder all the same.
	names, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, name := range names {
		at, err := os.Readlink(name)
		if err == nil && filepath.Base(at) == folder {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil {
				return pid
			}
		}
	}
	return 0
}
