package captures

import (
	"context"
	"io"

	"dplay4/captures/internal/pcapfile"
)

// A batch is a run of frames, with the memory that their octets are in.
type batch struct {
	packets []pcapfile.Packet
	octets  []byte
	offset  int64 // octets of the input read so far
	err     error // why it is the last
}

// The reader works ahead of the decoder by whole batches, on another core: handing over single frames would
// cost more than decoding them.
const (
	batchFrames = 1024
	batchOctets = 256 << 10
	batches     = 4
)

// frames reads batches in a goroutine of its own, which ends behind the last frame, or, once it is stopped, when
// its input lets it.
type frames struct {
	in     io.Reader
	ctx    context.Context
	offset int64       // octets of the input read so far
	full   chan *batch // has room for all batches, and for one more that says why it ends
	empty  chan *batch
	filled *batch // being filled
}

func newFrames(ctx context.Context, in io.Reader, name string) *frames {
	f := &frames{in: in, ctx: ctx, full: make(chan *batch, batches+1), empty: make(chan *batch, batches)}
	for range batches {
		f.empty <- &batch{octets: make([]byte, 0, batchOctets)}
	}
	f.filled = <-f.empty
	go f.work(name)
	return f
}

func (f *frames) work(name string) {
	rd, err := pcapfile.NewReader(f, name)
	for err == nil {
		var p pcapfile.Packet
		if p, err = rd.Next(); err == nil {
			err = f.add(p)
		}
	}
	f.filled.err = err
	f.handOver()
}

// add puts a frame into the batch.
func (f *frames) add(p pcapfile.Packet) error {
	b := f.filled
	at := len(b.octets)
	b.octets = append(b.octets, p.Data...) // where this moves them, earlier frames keep the old memory
	p.Data = b.octets[at:len(b.octets):len(b.octets)]
	b.packets = append(b.packets, p)
	if len(b.packets) < batchFrames && len(b.octets) < batchOctets {
		return nil
	}
	return f.exchange()
}

// exchange hands the batch over and takes an empty one.
func (f *frames) exchange() error {
	f.handOver()
	select {
	case f.filled = <-f.empty:
		f.filled.packets, f.filled.octets, f.filled.err = f.filled.packets[:0], f.filled.octets[:0], nil
		return nil
	case <-f.ctx.Done():
		f.filled = new(batch)
		return f.ctx.Err()
	}
}

func (f *frames) handOver() {
	f.filled.offset = f.offset
	f.full <- f.filled
}

// Read reads the input for the capture's reader. Before that, which may take long, it hands over the frames that
// are there: the input may be a capture that is still being made.
func (f *frames) Read(p []byte) (int, error) {
	if len(f.filled.packets) > 0 {
		if err := f.exchange(); err != nil {
			return 0, err
		}
	}
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := f.in.Read(p)
	f.offset += int64(n)
	return n, err
}

// next returns the next batch, or the reason why there is none: io.EOF at the end of the file. Where it is not there yet,
// waiting, which may be nil, is called first.
func (f *frames) next(waiting func()) (*batch, error) {
	if waiting != nil {
		select {
		case b := <-f.full:
			return b, b.err
		default:
			waiting()
		}
	}
	select {
	case b := <-f.full:
		return b, b.err
	case <-f.ctx.Done():
		return nil, f.ctx.Err()
	}
}

// recycle gives a batch back to be filled again.
func (f *frames) recycle(b *batch) {
	select {
	case f.empty <- b:
	default:
	}
}
