package pcapfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// FuzzReader reads anything: it ends, with io.EOF or an error that names a place, and it makes no difference in
// which pieces the input comes.
func FuzzReader(f *testing.F) {
	files, _ := smallFiles()
	f.Add(files[0])
	f.Add(files[1])
	f.Add(pcapRecord(pcapHeader(binary.BigEndian, pcapModified, 276), binary.BigEndian, record{data: make([]byte, 8)}))
	ng := iface(section(nil, binary.BigEndian, 2), binary.BigEndian, 101, 2, option(binary.BigEndian, optTSResol, 0x8a))
	f.Add(section(simple(block(ng, binary.BigEndian, 0xbad, nil), binary.BigEndian, 5, []byte("ab")), binary.LittleEndian, 0))
	f.Fuzz(func(t *testing.T, file []byte) {
		packets, err := fuzzRead(t, bytes.NewReader(file))
		again, err2 := fuzzRead(t, iotest.HalfReader(bytes.NewReader(file)))
		if packets != again || (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
			t.Fatalf("%d packets, %v; in other pieces %d, %v", packets, err, again, err2)
		}
	})
}

func fuzzRead(t *testing.T, in io.Reader) (packets int, err error) {
	r, err := NewReader(in, "fuzz")
	for err == nil {
		var p Packet
		if p, err = r.Next(); err != nil {
			break
		}
		packets++
		if p.Frame != packets || len(p.Data) > MaxPacket || p.Length < len(p.Data) || p.Time.Year() > 9999 {
			t.Fatalf("packet %d: %+v", packets, p)
		}
	}
	if err == io.EOF {
		return packets, nil
	}
	var fe *FileError
	if !errors.As(err, &fe) || fe.Field == "" || fe.Err == nil || fe.Frame > packets+1 {
		t.Fatalf("after %d packets: %#v", packets, err)
	}
	return packets, err
}
