package draw

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/doctor"
)

// FuzzDraw draws whatever can be read of a file: every format comes out, the SVG is well-formed, and all messages are
// in the picture.
func FuzzDraw(f *testing.F) {
	for _, name := range []string{capture02, "../lab/01-rzhost-asis-w10join-fails-packedoffset0.pcap", "../lab/07b-rzhost-password-w10join-wrong.pcap"} {
		octets, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(octets, uint8(7))
	}
	f.Fuzz(func(t *testing.T, octets []byte, most uint8) {
		p := NewReport(Options{Rows: int(most), Findings: []doctor.Finding{{Evidence: []doctor.Evidence{{N: 2}, {Frame: 9}, {Frame: 4, Time: noon}}}}})
		sum, _ := captures.Read(context.Background(), bytes.NewReader(octets), captures.Options{}, func(r *captures.Record) error {
			p.Add(r)
			return nil
		}, nil)
		require.NoError(t, p.Write(io.Discard, nil))
		d := p.Builder().Diagram()
		total := 0
		for i := range d.Steps {
			total += d.Steps[i].Count
		}
		require.Equal(t, sum.Messages, total)
		d.AppendText(nil, TextOptions{Color: true})
		d.AppendMermaid(nil)
		for x := xml.NewDecoder(bytes.NewReader(d.AppendSVG(nil))); ; {
			if _, err := x.Token(); err != nil {
				require.True(t, errors.Is(err, io.EOF), "%v", err)
				return
			}
		}
	})
}
