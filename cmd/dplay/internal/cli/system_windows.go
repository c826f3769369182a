package cli

import (
	"cmp"
	"io"
	"os"
	"syscall"
	"unicode/utf8"
	"unsafe"

	"github.com/inconshreveable/mousetrap"
	"golang.org/x/sys/windows"
)

// brokenPipes are the errors of writing to a pipe that nobody reads: ERROR_BROKEN_PIPE and ERROR_NO_DATA.
var brokenPipes = []error{io.ErrClosedPipe, syscall.ERROR_BROKEN_PIPE, syscall.Errno(232), syscall.EPIPE}

// FromCodePage returns text that came through a pipe as UTF-8. What is none is in the console's code page, as from "echo", or the
// system's where there is no console.
func FromCodePage(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	page, _ := windows.GetConsoleOutputCP() // 0 beside an error
	page = cmp.Or(page, windows.GetACP())
	wide := make([]uint16, len(text)) // no code page has a character with more of them than octets
	n, err := windows.MultiByteToWideChar(page, 0, unsafe.StringData(text), int32(len(text)), &wide[0], int32(len(wide)))
	if err != nil {
		return text
	}
	return windows.UTF16ToString(wide[:n])
}

// enableEscapes asks the console to understand escape sequences, which it does from Windows 10 on. Wine's says so as well, but
// breaks lines inside of them (facts, 10.9).
func enableEscapes(f *os.File) bool {
	if windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil {
		return false
	}
	var mode uint32
	h := windows.Handle(f.Fd())
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

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
