//go:build windows && cgo

package main

// #include "request.h"
import "C"

import (
	"unicode/utf16"
	"unsafe"
)

// A codePage is that of this machine, by which Windows reads and writes 8-bit text.
type codePage struct{}

// Encode returns a text with 8 bits.
func (codePage) Encode(s string) []byte {
	u := utf16.Encode([]rune(s))
	if len(u) == 0 {
		return nil
	}
	const most = 4 // octets that a unit of UTF-16 may take
	b := make([]byte, most*len(u))
	n := C.to_octets((*C.uint16_t)(&u[0]), C.uint32_t(len(u)), (*C.char)(unsafe.Pointer(&b[0])), C.uint32_t(len(b)))
	return b[:n]
}

// Decode returns the characters of a text with 8 bits.
func (codePage) Decode(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	u := make([]uint16, len(b)) // no octet is more than one of them
	n := C.to_utf16((*C.char)(unsafe.Pointer(&b[0])), C.uint32_t(len(b)), (*C.uint16_t)(&u[0]), C.uint32_t(len(u)))
	return string(utf16.Decode(u[:n]))
}
