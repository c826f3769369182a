package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

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
