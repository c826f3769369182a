package main

import (
	"runtime"
	"slices"
	"sync"

	"dplay4/captures"
	"dplay4/captures/show"
)

// A formatting makes JSON objects of messages and findings, in their order, on several processors. It gathers them in batches, which
// workers format. A batch that is not full waits for flush. One goroutine calls its methods. They return octets to be written, which
// are valid until the next call.
type formatting struct {
	objects objects // with what the next batch begins
	json    show.JSON
	payload show.PayloadFormat
	filling *objectBatch
	flying  []*objectBatch    // handed over, oldest first
	idle    sync.Pool         // of *objectBatch
	work    chan *objectBatch // nil: no goroutine runs yet
	workers int               // to be started
	running sync.WaitGroup    // those that were
}

// Batches are large because handing over a message costs more than formatting it. Reading is slower than three workers, so more
// of them would only wait.
const (
	mostWorkers  = 3
	mostFlying   = 2 * mostWorkers
	batchObjects = 256
	batchSize    = 128 << 10 // of what an objectBatch keeps, in octets
)

func newFormatting(o objects, payload show.PayloadFormat) *formatting {
	f := &formatting{objects: o, payload: payload, json: show.JSON{Payload: payload},
		idle: sync.Pool{New: func() any { return &objectBatch{done: make(chan struct{}, 1)} }}}
	f.filling = f.idle.Get().(*objectBatch)
	if n := runtime.GOMAXPROCS(0); n > 1 {
		f.workers = min(n, mostWorkers)
	}
	return f
}

// record adds a message.
func (f *formatting) record(r *captures.Record) []byte {
	f.filling.drafts.Add(r)
	return f.filled()
}

// finding adds a finding that belongs to no message.
func (f *formatting) finding(n *captures.Finding) []byte {
	f.filling.notes = append(f.filling.notes, note{f.filling.drafts.Len(), *n})
	return f.filled()
}

// filled hands over the current batch if it is full. If too many batches are under way it returns the octets of the oldest.
func (f *formatting) filled() []byte {
	if !f.filling.full() {
		return nil
	}
	f.handOver()
	if f.workers > 0 && len(f.flying) < mostFlying {
		return nil
	}
	return f.oldest()
}

// flush returns the octets of a batch that was not returned yet; nil if there is none.
func (f *formatting) flush() []byte {
	if f.filling.drafts.Len()+len(f.filling.notes) > 0 {
		f.handOver()
	}
	if len(f.flying) == 0 {
		return nil
	}
	return f.oldest()
}

// handOver hands over the current batch, and begins another one.
func (f *formatting) handOver() {
	b := f.filling
	b.objects = f.objects
	f.objects.began = true
	if full := b.full(); f.workers == 0 || !full && len(f.flying) == 0 {
		b.format(&f.json) // to wake another goroutine would take longer
		b.done <- struct{}{}
	} else {
		f.start()
		f.work <- b
	}
	f.flying = append(f.flying, b)
	f.filling = f.idle.Get().(*objectBatch)
}

// oldest waits for the batch that was handed over first, and returns its octets.
func (f *formatting) oldest() []byte {
	b := f.flying[0]
	f.flying = slices.Delete(f.flying, 0, 1)
	<-b.done
	out := b.out
	if b.reset() {
		f.idle.Put(b)
	}
	return out
}

// start starts the workers.
func (f *formatting) start() {
	if f.work != nil {
		return
	}
	f.work = make(chan *objectBatch, mostFlying)
	for range f.workers {
		f.running.Go(func() {
			js := show.JSON{Payload: f.payload}
			for b := range f.work {
				b.format(&js)
				b.done <- struct{}{}
			}
		})
	}
}

// stop ends the workers. What was not flushed is lost.
func (f *formatting) stop() {
	if f.work != nil {
		close(f.work)
		f.running.Wait()
		f.work = nil
	}
}

// An objectBatch is messages and findings that become JSON together.
type objectBatch struct {
	drafts  show.Drafts
	notes   []note
	objects objects // with what the first object begins
	out     []byte
	done    chan struct{} // out is complete; has room for one
}

// A note is a finding that belongs to no message.
type note struct {
	after   int // so many messages
	finding captures.Finding
}

func (b *objectBatch) full() bool {
	return b.drafts.Len()+len(b.notes) >= batchObjects || b.drafts.Size() >= batchSize
}

// format fills in out.
func (b *objectBatch) format(js *show.JSON) {
	i, notes := 0, b.notes
	draft := func(out []byte) []byte { return js.AppendDraft(out, &b.drafts, i) }
	finding := func(out []byte) []byte {
		out = append(out, `{"finding":`...)
		return append(show.AppendFinding(out, &notes[0].finding), '}')
	}
	b.out = b.out[:0]
	for ; i <= b.drafts.Len(); i++ {
		for ; len(notes) > 0 && notes[0].after == i; notes = notes[1:] {
			b.out = b.objects.append(b.out, finding)
		}
		if i < b.drafts.Len() {
			b.out = b.objects.append(b.out, draft)
		}
	}
}

// reset empties the batch, except out, which is still to be written. It reports whether the batch may be used again: its buffers
// are not kept if they are huge.
func (b *objectBatch) reset() bool {
	small := b.drafts.Size() < 2*batchSize && cap(b.out) < 8*batchSize
	clear(b.notes) // their texts
	b.notes = b.notes[:0]
	b.drafts.Reset()
	return small
}
