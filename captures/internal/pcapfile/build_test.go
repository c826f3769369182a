package pcapfile

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// orders are both byte orders, by name.
var orders = map[string]order{"little": binary.LittleEndian, "big": binary.BigEndian}

// A record is one packet of a test file.
type record struct {
	seconds, fraction uint32
	data              []byte
	length            uint32 // 0: that of data
}

func (r record) wire() uint32 { return max(r.length, uint32(len(r.data))) }

// pcapHeader makes the file header, with a snap length that nothing may believe.
func pcapHeader(o order, magic, link uint32) []byte {
	b := o.AppendUint32(nil, magic)
	b = o.AppendUint16(o.AppendUint16(b, 2), 4)
	b = append(b, make([]byte, 8)...)
	return o.AppendUint32(o.AppendUint32(b, 1<<30), link)
}

func pcapRecord(b []byte, o order, r record) []byte {
	b = o.AppendUint32(o.AppendUint32(b, r.seconds), r.fraction)
	b = o.AppendUint32(o.AppendUint32(b, uint32(len(r.data))), r.wire())
	return append(b, r.data...)
}

// block makes a pcapng block of a body, which it pads.
func block(b []byte, o order, typ uint32, body ...[]byte) []byte {
	whole := bytes.Join(body, nil)
	whole = append(whole, make([]byte, -len(whole)&3)...)
	b = o.AppendUint32(o.AppendUint32(b, typ), uint32(len(whole)+12))
	return o.AppendUint32(append(b, whole...), uint32(len(whole)+12))
}

func section(b []byte, o order, minor uint16) []byte {
	body := o.AppendUint32(nil, ngOrderMagic)
	body = o.AppendUint16(o.AppendUint16(body, 1), minor)
	return block(b, o, ngSectionHeader, o.AppendUint64(body, 1<<64-1))
}

func option(o order, code uint16, value ...byte) []byte {
	b := o.AppendUint16(o.AppendUint16(nil, code), uint16(len(value)))
	return append(append(b, value...), make([]byte, -len(value)&3)...)
}

func iface(b []byte, o order, link uint16, snap uint32, options ...[]byte) []byte {
	body := o.AppendUint32(o.AppendUint16(o.AppendUint16(nil, link), 0), snap)
	return block(b, o, ngInterface, append([][]byte{body}, options...)...)
}

func enhanced(b []byte, o order, id uint32, ts uint64, r record, options ...[]byte) []byte {
	body := o.AppendUint32(o.AppendUint32(o.AppendUint32(nil, id), uint32(ts>>32)), uint32(ts))
	body = o.AppendUint32(o.AppendUint32(body, uint32(len(r.data))), r.wire())
	body = append(append(body, r.data...), make([]byte, -len(r.data)&3)...)
	return block(b, o, ngEnhancedPacket, append([][]byte{body}, options...)...)
}

func simple(b []byte, o order, length uint32, data []byte) []byte {
	return block(b, o, ngSimplePacket, o.AppendUint32(nil, length), data)
}

// readAll reads a file to its end and returns copies of its packets.
func readAll(r io.Reader) ([]Packet, error) {
	rd, err := NewReader(r, "test")
	if err != nil {
		return nil, err
	}
	var all []Packet
	for {
		p, err := rd.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		p.Data = bytes.Clone(p.Data)
		all = append(all, p)
	}
}

func at(seconds, nanos int64) time.Time { return time.Unix(seconds, nanos).UTC() }

// fileError checks that err is a FileError and gives it.
func fileError(t *testing.T, err error) *FileError {
	t.Helper()
	var fe *FileError
	require.ErrorAs(t, err, &fe)
	require.Equal(t, "test", fe.Name)
	require.NotEmpty(t, fe.Field)
	return fe
}
