package annotate

import (
	"cmp"
	"context"
	"io"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/captures/internal/pcapfile"
	"dplay4/wire"
)

// Options steer the reading. The zero value is a good one.
type Options struct {
	// Options are those of the reading.
	captures.Options
	// Game names the game that an application GUID belongs to, "" if it is not known; nil: none is.
	Game func(application wire.GUID) string
	// Program is who writes the comments, for the first of them: "dplay 1.2".
	Program string
}

// Notes are what is known of a capture, ready to be written into it.
type Notes struct {
	Report *doctor.Report // never nil

	opt     Options
	sort    sorter
	section []string
}

// Read reads a capture and remembers what is known of it. Notes are there beside an error of the input, too, for what was
// read up to there, and nil beside any other. Their Close has to be called.
func Read(ctx context.Context, in io.Reader, opt Options) (*Notes, error) {
	n := &Notes{opt: opt}
	c := collector{notes: n}
	report, err := doctor.Examine(ctx, in, doctor.Options{Options: opt.Options, Game: opt.Game, Record: c.record, Finding: c.finding})
	n.Report = report
	c.doctor()
	if failed := cmp.Or(c.err, ctx.Err()); failed != nil {
		n.Close()
		return nil, failed
	}
	n.section = c.section()
	return n, err
}

// Close removes what is on disk.
func (n *Notes) Close() { n.sort.close() }

// Written says what was written.
type Written = pcapfile.Copied

// Write copies the capture, which has to be the one that was read, with its comments: as pcapng, not compressed. Packets,
// times, lengths and interfaces stay as they are, and so does everything else in a pcapng file, comments that are there
// included. It may be called once; progress, which may be nil, is told how much of from was read. Where the capture is damaged it ends as Read did, and what stands before is written.
func (n *Notes) Write(ctx context.Context, to io.Writer, from io.Reader, progress func(octets int64)) (Written, error) {
	m, err := n.sort.sorted()
	if err != nil {
		return Written{}, err
	}
	comments := pcapfile.Comments{Section: n.section, Frame: m.of}
	done, err := pcapfile.Copy(to, &stoppable{ctx: ctx, in: from, progress: progress}, n.opt.Name, comments)
	return done, cmp.Or(ctx.Err(), m.err, err)
}

// A stoppable is an input that ends with its context, and tells how much of it was read.
type stoppable struct {
	ctx      context.Context
	in       io.Reader
	read     int64
	progress func(octets int64) // may be nil
}

// Read implements io.Reader.
func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.in.Read(p)
	if s.read += int64(n); s.progress != nil {
		s.progress(s.read)
	}
	return n, err
}
