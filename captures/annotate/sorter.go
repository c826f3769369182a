package annotate

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"math"
	"os"
	"slices"
	"strings"
)

// A sorter sorts comments by their frames; those of one frame stay in the order in which they came. What does not fit
// into memory goes to a file, in runs that are sorted each.
type sorter struct {
	entries []entry
	octets  []byte // the texts of entries
	file    *os.File
	size    int64   // of the file
	runs    []int64 // where each run of the file begins
}

// An entry is a comment whose text is at octets[at:end].
type entry struct{ frame, at, end int }

// entrySize is roughly what an entry takes beside its text, in octets.
const entrySize = 24

// add takes a comment. Frames without a number, below 1, have none.
func (s *sorter) add(frame int, text string) error {
	if frame < 1 {
		return nil
	}
	at := len(s.octets)
	s.octets = append(s.octets, text...)
	s.entries = append(s.entries, entry{frame, at, len(s.octets)})
	if len(s.octets)+entrySize*len(s.entries) < maxUnsorted {
		return nil
	}
	return s.spill()
}

// spill writes what is in memory to the file.
func (s *sorter) spill() error {
	if s.file == nil {
		f, err := os.CreateTemp("", "dplay-annotate-*")
		if err != nil {
			return err
		}
		s.file = f
	}
	s.runs = append(s.runs, s.size)
	return s.write(s.file)
}

// write writes what is in memory, sorted, and forgets it.
func (s *sorter) write(to io.Writer) error {
	slices.SortStableFunc(s.entries, func(a, b entry) int { return cmp.Compare(a.frame, b.frame) })
	w := bufio.NewWriterSize(to, runBuffer)
	var head []byte
	for _, e := range s.entries {
		head = binary.AppendUvarint(head[:0], uint64(e.frame))
		head = binary.AppendUvarint(head, uint64(e.end-e.at))
		w.Write(head)                 //nolint:errcheck // Flush tells
		w.Write(s.octets[e.at:e.end]) //nolint:errcheck // likewise
		s.size += int64(len(head) + e.end - e.at)
	}
	s.entries, s.octets = s.entries[:0], s.octets[:0]
	return w.Flush()
}

// close removes the file.
func (s *sorter) close() {
	if s.file != nil {
		s.file.Close()           //nolint:errcheck // it goes away
		os.Remove(s.file.Name()) //nolint:errcheck // the system clears its temporary files
		s.file = nil
	}
}

// sorted returns the comments from the first frame on. Nothing may be added any more.
func (s *sorter) sorted() (*merger, error) {
	m := &merger{}
	bounds := append(slices.Clone(s.runs), s.size)
	for i, at := range s.runs {
		m.runs = append(m.runs, &run{in: bufio.NewReaderSize(io.NewSectionReader(s.file, at, bounds[i+1]-at), runBuffer)})
	}
	var last bytes.Buffer
	s.write(&last) //nolint:errcheck // a buffer takes everything
	s.entries, s.octets = nil, nil
	m.runs = append(m.runs, &run{in: bufio.NewReaderSize(&last, runBuffer)})
	for _, r := range m.runs {
		if err := r.next(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// A merger gives out the comments of several runs in the order of their frames.
type merger struct {
	runs []*run // the older before the newer
	list []string
	err  error // the first of reading the runs
}

// A run is comments in the order of their frames.
type run struct {
	in    *bufio.Reader
	frame int // of the next comment, or ended
	text  string
}

// ended is the frame of a run without a next comment.
const ended = math.MaxInt

// next goes to the next comment.
func (r *run) next() error {
	frame, err := binary.ReadUvarint(r.in)
	if err == io.EOF {
		r.frame = ended
		return nil
	}
	var size uint64
	if err == nil {
		size, err = binary.ReadUvarint(r.in)
	}
	if err != nil {
		return err
	}
	var text strings.Builder
	_, err = io.CopyN(&text, r.in, int64(size))
	r.frame, r.text = int(frame), text.String()
	return err
}

// of returns the comments of a frame, at most maxComments and one that counts the others. The frames that it is asked for
// ascend; what belongs to one between them is left out. The list is valid until the next call.
func (m *merger) of(frame int) []string {
	m.list = m.list[:0]
	more := 0
	for _, r := range m.runs {
		for m.err == nil && r.frame <= frame {
			switch {
			case r.frame < frame:
			case len(m.list) < maxComments:
				m.list = append(m.list, r.text)
			default:
				more++
			}
			m.err = r.next()
		}
	}
	if more > 0 {
		m.list = append(m.list, beyond(more))
	}
	return m.list
}
