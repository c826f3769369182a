package main

import (
	"bufio"
	"bytes"
	"io"

	"dplay4/captures/hexdump"
)

// headSize is how much of a text is looked at to find out whether it is hexadecimal.
const headSize = 4096

// fromHex returns the capture that hexadecimal text stands for. What is no such text comes back as it is.
func fromHex(r io.Reader) (out io.Reader, isHex bool, err error) {
	in := bufio.NewReaderSize(r, headSize)
	if head, _ := in.Peek(4); !isText(head) {
		return in, false, nil
	}
	if head, _ := in.Peek(headSize); !hexdump.Recognized(head) {
		return in, false, nil
	}
	var file bytes.Buffer
	return &file, true, hexdump.Capture(in, &file)
}

// isText reports whether a file begins as no capture does: the magic number of pcapng is text but for what it says.
func isText(head []byte) bool {
	if bytes.Equal(head, []byte{'\n', '\r', '\r', '\n'}) {
		return false
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) { // as PowerShell begins files
		return true
	}
	for _, c := range head {
		if (c < ' ' || c > '~') && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return len(head) > 0
}
