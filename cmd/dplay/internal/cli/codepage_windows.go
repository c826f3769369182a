package cli

import (
	"unicode/utf8"
	"unsafe"

	"golang.org/x/sys/windows"
)

// FromCodePage returns text that came through a pipe as UTF-8. What is none is in the console's code page, as from "echo", or the
// system's where there is no console.
func FromCodePage(text string) string {
	if utf8.ValidString(text) || len(text) > maxPaged {
		return text
	}
	page, err := windows.GetConsoleOutputCP()
	if err != nil || page == 0 {
		page = windows.GetACP()
	}
	wide := make([]uint16, len(text)) // no code page has a character with more of them than octets
	n, err := windows.MultiByteToWideChar(page, 0, unsafe.StringData(text), int32(len(text)), &wide[0], int32(len(wide)))
	if err != nil {
		return text
	}
	return windows.UTF16ToString(wide[:n])
}

// maxPaged bounds what is converted, in octets: more than a line has.
const maxPaged = 1 << 20
