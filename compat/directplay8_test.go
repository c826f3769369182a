package compat_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures/doctor"
	"dplay4/internal/madeup"
)

// TestDirectPlay8 has tshark read what the doctor takes for DirectPlay 8 by what it says: a connection that is asked for,
// and the answer to a search.
func TestDirectPlay8(t *testing.T) {
	connect := binary.LittleEndian.AppendUint32([]byte{0x88, 1, 0, 0}, 0x00010006)
	connect = append(connect, 1, 2, 3, 4, 5, 6, 7, 8)
	answer := binary.LittleEndian.AppendUint32([]byte{0, 3, 7, 9, 0, 0, 0, 0, 0, 0, 0, 0}, 0x50)
	answer = append(answer, make([]byte, 0x50)...)
	for _, c := range []struct {
		octets []byte
		fields string
	}{{connect, "0x01\t0x00010006\t"}, {answer, "\t\t80"}} {
		n := madeup.New(t)
		n.UDP("192.0.2.1:40000", "192.0.2.2:23456", c.octets)
		r, err := doctor.Examine(context.Background(), bytes.NewReader(n.Bytes()), doctor.Options{})
		require.NoError(t, err)
		assert.Contains(t, r.Verdict(), "but DirectPlay 8: DirectPlay 8 on UDP port 23456 (1)")
		file := filepath.Join(t.TempDir(), "8.pcap")
		require.NoError(t, os.WriteFile(file, n.Bytes(), 0o600))
		out := findTshark(t).run(t, "-r", file, "-d", "udp.port==23456,dpnet", "-T", "fields", "-e", "dpnet.cframe.control",
			"-e", "dpnet.cframe.protocol", "-e", "dpnet.desc_size")
		assert.Equal(t, c.fields, strings.TrimRight(string(out), "\n"))
	}
}
