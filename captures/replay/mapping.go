package replay

import "dplay4/wire"

// A mapping says which value of ours stands for which of the recording. It is one to one.
type mapping struct {
	ids   pairs[wire.PlayerID]
	guids pairs[wire.GUID]
	ticks pairs[uint32]
	masks pairs[uint32]
	runs  pairs[string] // incarnations of members of views
	asked pairs[uint32] // numbers in their messages

	// recordings reports that both sides are captures: then sockets may differ as well, and ticks of every command.
	recordings bool
	sockets    pairs[string]
}

// pairs are recorded values and ours. The zero value is empty.
type pairs[T comparable] struct{ ours, recorded map[T]T }

// bind pairs two values and says whether they agree with what was paired before.
func (p *pairs[T]) bind(recorded, ours T) bool {
	if agree, known := p.agree(recorded, ours); known {
		return agree
	}
	if p.ours == nil {
		p.ours, p.recorded = map[T]T{}, map[T]T{}
	}
	p.ours[recorded], p.recorded[ours] = ours, recorded
	return true
}

// agree reports whether two values stand for each other; known is false if neither stands for anything.
func (p *pairs[T]) agree(recorded, ours T) (agree, known bool) {
	o, a := p.ours[recorded]
	r, b := p.recorded[ours]
	return a && b && o == ours && r == recorded, a || b
}

// own returns our value for a recorded one; itself where none is known.
func (p *pairs[T]) own(recorded T) T {
	if o, ok := p.ours[recorded]; ok {
		return o
	}
	return recorded
}

// other returns the recorded value for ours; itself where none is known.
func (p *pairs[T]) other(ours T) T {
	if r, ok := p.recorded[ours]; ok {
		return r
	}
	return ours
}

// mapped counts the pairs whose values differ.
func (p *pairs[T]) mapped() int {
	n := 0
	for r, o := range p.ours {
		if r != o {
			n++
		}
	}
	return n
}

// mapped counts what was equal up to the mapping. Of ports it knows nothing.
func (m *mapping) mapped() Mapped {
	return Mapped{IDs: m.ids.mapped(), GUIDs: m.guids.mapped(), Ticks: m.ticks.mapped(), Masks: m.masks.mapped(),
		Sockets: m.sockets.mapped()}
}

// nobody reports whether an id is none of a player, group or machine, and the same everywhere.
func nobody(id wire.PlayerID) bool {
	return id == wire.IDAll || id == wire.IDServer || id == wire.IDUnknown
}

// An overlay is what a comparison would add to a mapping, until it is known which comparison counts.
type overlay struct {
	base  *mapping
	added mapping
}

// pairID reports whether two ids may stand for each other.
func (o *overlay) pairID(recorded, ours wire.PlayerID) bool {
	if nobody(recorded) || nobody(ours) {
		return recorded == ours
	}
	return pair(&o.base.ids, &o.added.ids, recorded, ours)
}

func (o *overlay) pairGUID(recorded, ours wire.GUID) bool {
	if recorded.IsZero() || ours.IsZero() {
		return recorded == ours
	}
	return pair(&o.base.guids, &o.added.guids, recorded, ours)
}

// pair binds two values if the mapping does not know one of them.
func pair[T comparable](base, added *pairs[T], recorded, ours T) bool {
	if agree, known := base.agree(recorded, ours); known {
		return agree
	}
	return added.bind(recorded, ours)
}

// commit adds what a comparison found to the mapping.
func (o *overlay) commit() {
	merge(&o.base.ids, &o.added.ids)
	merge(&o.base.guids, &o.added.guids)
	merge(&o.base.ticks, &o.added.ticks)
	merge(&o.base.masks, &o.added.masks)
	merge(&o.base.runs, &o.added.runs)
	merge(&o.base.asked, &o.added.asked)
	merge(&o.base.sockets, &o.added.sockets)
}

func merge[T comparable](base, added *pairs[T]) {
	for r, o := range added.ours {
		base.bind(r, o)
	}
}
