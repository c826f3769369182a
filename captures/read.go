package captures

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"strings"
	"time"

	"dplay4/captures/internal/link"
	"dplay4/captures/internal/pcapfile"
	"dplay4/captures/internal/stream"
	"dplay4/captures/links"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// Read reads a capture file from in, pcap or pcapng, plain or compressed with gzip or zstd, and hands every
// DirectPlay 4 message to handle in the order in which they were completed. An error from handle ends reading and
// is returned. Findings that belong to a message are in its record; find, which may be nil, is told the others
// as they turn up.
//
// The summary is complete for what was read, also beside an error: a file that is damaged or cut short is
// read up to there.
//
// Messages come out as soon as in gives their frames, so it may be a pipe from a running capture. If Read returns
// early, because of handle or because ctx ended, one Read of in may still be under way.
func Read(ctx context.Context, in io.Reader, opt Options, handle func(*Record) error, find func(*Finding)) (*Summary, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := newRun(opt, handle, find)
	frames := newFrames(ctx, in, opt.Name)
	var err error
	for r.err == nil && err == nil {
		var b *batch
		if b, err = frames.next(opt.Waiting); b == nil {
			break
		}
		for i := range b.packets {
			r.frame(&b.packets[i])
		}
		if opt.Progress != nil {
			opt.Progress(b.offset)
		}
		frames.recycle(b)
	}
	r.end()
	switch {
	case r.err != nil:
		return &r.sum, r.err
	case err == io.EOF:
		return &r.sum, nil
	case ctx.Err() != nil:
		return &r.sum, ctx.Err()
	}
	r.fileError(err)
	return &r.sum, err
}

// A run is the reading of one file.
type run struct {
	opt    Options
	handle func(*Record) error
	report func(*Finding)
	err    error // from handle

	link       link.Decoder
	streams    *stream.Assembler
	learn      *learner
	dec        wire.Decoder
	joiner     *joiner
	links      map[linkKey]*reliableLink
	linkOrder  []*reliableLink // in which they were met
	held       int             // octets of unfinished messages in them
	linkFrames []int           // of the long message in work
	frm        reliable.Frame
	tracker    *links.Tracker
	step       links.Step // of the record in work
	ports      map[uint16]bool

	sum           Summary
	pending       int // octets of unfinished messages of TCP streams
	rec           Record
	frameList     []int                   // of the TCP message in work
	spare         []byte                  // a long buffer that no stream uses
	carried       []uint64                // a bit a frame
	conversations map[pair]int            // by the two machines, the smaller address first
	eights        map[netip.AddrPort]bool // sockets that speak DirectPlay 8
	alike         map[pair]bool           // sockets that may: the first has sent the second something that looks like it
	sorted        sorted                  // the datagram in work
	network       *watch                  // nil: nobody asked
	told          map[string]bool         // limits that were reported
	first, last   time.Time               // when the first and the last record came
}

func newRun(opt Options, handle func(*Record) error, find func(*Finding)) *run {
	r := &run{
		opt: opt, handle: handle, report: find, ports: map[uint16]bool{}, links: map[linkKey]*reliableLink{}, tracker: links.NewTracker(),
		conversations: map[pair]int{}, eights: map[netip.AddrPort]bool{}, alike: map[pair]bool{}, told: map[string]bool{},
	}
	r.sum = Summary{File: opt.Name, ByCode: map[Code]int{}}
	for _, p := range opt.Ports {
		r.ports[p] = true
	}
	r.streams = stream.New(r.chunk)
	r.learn = newLearner(r.full)
	r.joiner = newJoiner(r.dropped)
	if opt.Network != nil {
		r.network = newWatch(opt.Network)
	}
	return r
}

// frame takes the next frame of the file through the layers.
func (r *run) frame(p *pcapfile.Packet) {
	r.sum.Frames++
	u, status := r.link.Decode(p)
	if r.network != nil {
		r.network.frame(&r.link, p, &u, status)
	}
	if u.Proto == link.UDP {
		r.sorted = r.sort(&u)
	}
	if r.opt.Packet != nil {
		r.packet(p, &u, status)
	}
	r.unfinished(r.link.Incomplete())
	if status.Kind != link.KindUnit {
		r.noUnit(p, status)
		return
	}
	if u.Proto == link.UDP {
		r.datagram(&u)
		return
	}
	frame := u.Frames[len(u.Frames)-1]
	r.streams.Add(&stream.Segment{
		Key: stream.Key{Src: u.Src, Dst: u.Dst}, Seq: u.Seq, SYN: u.SYN, FIN: u.FIN, RST: u.RST,
		Payload: u.Payload, Cut: u.Cut, Frame: frame, Time: u.Time,
	})
}

// end finishes what is still open when the file ends.
func (r *run) end() {
	r.streams.Flush()
	r.unfinished(r.link.Flush())
	r.joiner.flush()
	r.endLinks()
	r.sum.Links, r.sum.Peers = r.tracker.Links(), r.tracker.Peers()
	if r.network != nil {
		r.network.end(r.sum.Frames)
	}
	r.sum.FramesOther = r.sum.Frames - r.sum.FramesWith - r.sum.FramesNotIP
}

// fileError turns the reason for which reading stopped into a finding.
func (r *run) fileError(err error) {
	f := Finding{Code: FileDamaged, Offset: -1, Text: err.Error()}
	if fe, ok := errors.AsType[*pcapfile.FileError](err); ok {
		f.Frame, f.Field, f.Offset = fe.Frame, fe.Field, fe.Offset
		where := *fe
		where.Name, where.Frame = "", 0 // the finding has them
		f.Text = strings.TrimPrefix(where.Error(), ": ")
	}
	r.find(f)
}

// find counts a finding and reports it.
func (r *run) find(f Finding) {
	if r.count(&f) <= maxFindings && r.report != nil {
		r.report(&f)
	}
}

// count counts a finding of the file, and returns the number of those of its kind.
func (r *run) count(f *Finding) int {
	f.File = r.opt.Name
	r.sum.Findings++
	r.sum.ByCode[f.Code]++
	return r.sum.ByCode[f.Code]
}

// note attaches a finding to a record.
func (r *run) note(rec *Record, f Finding) {
	f.Frame = rec.lastFrame()
	r.count(&f)
	rec.Findings = append(rec.Findings, f)
}

// full reports once that a limit was reached.
func (r *run) full(what string) {
	if !r.told[what] {
		r.told[what] = true
		r.find(Finding{Code: LimitReached, Offset: -1, Text: "more " + what + " than are remembered; later ones are not known"})
	}
}

// carries counts frames as those that carry DirectPlay. A frame can carry the end of one message and the
// beginning of another, and segments that came too early are taken late, so one bit a frame is kept.
func (r *run) carries(frames ...int) {
	for _, frame := range frames {
		word, bit := frame/64, uint64(1)<<(frame%64)
		for word >= len(r.carried) {
			r.carried = append(r.carried, 0)
		}
		if r.carried[word]&bit == 0 {
			r.carried[word] |= bit
			r.sum.FramesWith++
		}
	}
}

// record readies the run's record.
func (r *run) record(t Transport, src, dst netip.AddrPort, raw []byte, frames []int, at time.Time) *Record {
	if r.sum.Messages == 0 {
		r.first, r.last = at, at
	}
	r.learn.now = Moment{r.sum.Messages + 1, at.Sub(r.first)}
	r.rec = Record{Transport: t, Src: src, Dst: dst, Raw: raw, Frames: frames, Time: at, Findings: r.rec.Findings[:0]}
	return &r.rec
}

// follow readies the run's record, which is last, for a message that last completes.
func (r *run) follow(last *Record, message []byte, frames []int) *Record {
	was := *last
	rec := r.record(was.Transport, was.Src, was.Dst, message, frames, was.Time)
	rec.From, rec.To, rec.Conversation, rec.Session, rec.Frame, rec.Joined = was.From, was.To, was.Conversation, was.Session, was.Frame, true
	return rec
}

// between settles between which machines a record went. src is where its sender listens, as its header says; invalid:
// it has none.
func (r *run) between(rec *Record, src netip.AddrPort) {
	rec.From, rec.To = r.learn.machines.from(rec, src), r.learn.machines.to(rec)
	rec.Conversation = r.conversation(rec.From.At, rec.To.At)
}

// emit numbers a record and hands it out.
func (r *run) emit(rec *Record) {
	if r.err != nil {
		return
	}
	r.sum.Messages++
	rec.N, rec.Since, rec.Gap = r.sum.Messages, rec.Time.Sub(r.first), rec.Time.Sub(r.last)
	r.last = rec.Time
	r.err = r.handle(rec)
}

// conversation numbers a pair of machines.
func (r *run) conversation(a, b netip.AddrPort) int {
	if a.Compare(b) > 0 {
		a, b = b, a
	}
	k := pair{a, b}
	n, ok := r.conversations[k]
	if !ok && len(r.conversations) < maxConversations {
		n = len(r.conversations) + 1
		r.conversations[k] = n
	}
	return n
}
