package show

import (
	"bytes"
	"encoding/base64"
)

// PayloadFormat says how the octets of games are written.
type PayloadFormat uint8

// The formats of payloads.
const (
	PayloadHex PayloadFormat = iota // in lines and trees, what can be read in them stands beside it
	PayloadBase64
	PayloadNone
	PayloadText // what can be read as characters, the rest as in \x00
)

// appendPayload appends octets for people, of which more may follow.
func appendPayload(b, p []byte, format PayloadFormat, more bool) []byte {
	switch format {
	case PayloadNone:
		return b
	case PayloadBase64:
		return base64.StdEncoding.AppendEncode(b, p)
	case PayloadText:
		return append(appendReadable(append(b, '"'), p, true, more), '"')
	}
	return appendOctets(b, p)
}

// appendBeside appends to octets what can be read in them, if there is something. Zeros at the end are no part of it.
func appendBeside(b, p []byte, more bool) []byte {
	if !readable(p, more) {
		return b
	}
	text := bytes.TrimRight(p, "\x00")
	return append(appendReadable(append(b, " \""...), text, true, more && len(text) == len(p)), '"')
}
