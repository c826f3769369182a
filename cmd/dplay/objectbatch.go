package main

import (
	"dplay4/captures"
	"dplay4/captures/show"
)

// An objectBatch is a run of messages and findings on their way to JSON.
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

func newObjectBatch() *objectBatch { return &objectBatch{done: make(chan struct{}, 1)} }

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

// reset makes the batch empty but for out, which is written yet. It reports whether the batch is to be used again: one
// that held a huge message is not.
func (b *objectBatch) reset() bool {
	small := b.drafts.Size() < 2*batchSize && cap(b.out) < 8*batchSize
	clear(b.notes) // their texts
	b.notes = b.notes[:0]
	b.drafts.Reset()
	return small
}
