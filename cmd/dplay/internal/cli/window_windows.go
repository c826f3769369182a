package cli

import (
	"os"
	"unsafe"

	"github.com/inconshreveable/mousetrap"
	"golang.org/x/sys/windows"
)

var getConsoleProcessList = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetConsoleProcessList")

// OwnWindow reports whether Windows opened a console window for this program alone, and whether the Explorer asked for it.
// One whose input or output goes elsewhere is a script's.
func OwnWindow() Window {
	if Terminal(os.Stdin) == nil || Terminal(os.Stdout) == nil {
		return NoWindow
	}
	if mousetrap.StartedByExplorer() {
		return ExplorersWindow
	}
	if getConsoleProcessList.Find() != nil {
		return NoWindow
	}
	var ids [2]uint32
	if n, _, _ := getConsoleProcessList.Call(uintptr(unsafe.Pointer(&ids[0])), uintptr(len(ids))); n != 1 {
		return NoWindow
	}
	return OnlyWindow
}
