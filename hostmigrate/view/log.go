package view

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// Did notes a change of the program's list by a message of DirectPlay 4 from a machine, or by this program itself. A leader numbers it. With
// another program it is ahead of the confirmed list until the leader's operation comes.
func (c *Core) Did(now time.Duration, from wire.PlayerID, op playerlist.Op) {
	c.now = now
	if o, ok := op.(playerlist.AddPlayer); ok && c.cand != nil {
		c.cand.forget(o.Entry)
	}
	if c.Leads() && !c.frozen() {
		c.numberBy(from, op)
		return
	}
	if d, ok := op.(playerlist.DeletePlayer); ok && c.list != nil && from != c.self.System && !has(c.list, d.ID) &&
		!slices.ContainsFunc(c.ahead, func(x change) bool { return clash(x.op, op) }) {
		return // the leader's operation came before
	}
	if len(c.ahead) < maxAhead {
		c.made++
		c.ahead = append(c.ahead, change{op: keep(op), from: from, own: from == c.self.System, since: now, number: c.made})
	}
	if d, ok := op.(playerlist.DeletePlayer); ok && c.list != nil && d.ID == c.view.Leader { // a legacy host threw it out
		c.Suspect(now, d.ID)
	}
}

// Covers reports whether a maker's message has no effect any more, because the leader's operation came before it.
func (c *Core) Covers(op playerlist.Op) bool {
	if k := slices.IndexFunc(c.early, func(x change) bool { return same(x.op, op) }); k >= 0 {
		c.early = slices.Delete(c.early, k, k+1)
		return true
	}
	switch op.(type) {
	case playerlist.SetName, playerlist.SetData, playerlist.SetInfo: // a program may set them to what they are, and the others are told
		return false
	}
	return c.list != nil && holds(c.cfg.List(), op)
}

// number applies an operation with the next number, and sends it to the members.
func (c *Core) number(op playerlist.Op) { c.numberBy(0, op) }

// numberBy is number for an operation that a machine made.
func (c *Core) numberBy(maker wire.PlayerID, op playerlist.Op) {
	n := playerlist.Numbered{Version: c.list.Version() + 1, Op: op}
	b := pack(n)
	if b == nil {
		return // nobody could be told
	}
	var by []wire.ViewMember // the member that deletes its own player
	if d, ok := op.(playerlist.DeletePlayer); ok {
		if m, in := c.byID(maker); in && owner(c.list, d.ID) == maker {
			by = []wire.ViewMember{m}
		}
	}
	c.removes(op)
	if _, err := c.list.Apply(op); err != nil {
		return // the program's list refused it as well, or it is void by now
	}
	for _, m := range c.members {
		if !c.suspects(m.Incarnation) { // it is about to be lost; if it answers again it asks for what it lacks
			x := c.numbered(n, b)
			if by != nil {
				x.Members = by
			}
			c.send(m, x)
		}
	}
}

// owner returns the machine of a player or group; 0: there is none.
func owner(l *playerlist.List, id wire.PlayerID) wire.PlayerID {
	system, _ := l.System(id)
	return system
}

// numbered returns the LOG with an operation. If the operation makes a machine a member, the LOG has the member.
func (c *Core) numbered(n playerlist.Numbered, packed []byte) *wire.ExtensionView {
	m := &wire.ExtensionView{Step: wire.ViewLog, View: c.view, Index: n.Version, Ops: [][]byte{packed}}
	if o, ok := n.Op.(playerlist.InstructConnect); ok {
		if x, in := c.byID(o.ID); in {
			m.Members = []wire.ViewMember{x}
		}
	}
	return m
}

// removes removes the member whose system player an operation deletes.
func (c *Core) removes(op playerlist.Op) {
	if d, ok := op.(playerlist.DeletePlayer); ok {
		if m, is := c.byID(d.ID); is {
			c.removed(m)
		}
	}
}

// removed removes a member. It is lost, and may live on in another part, unless it left or its program began anew.
func (c *Core) removed(m wire.ViewMember) {
	c.members = without(c.members, m.Incarnation)
	delete(c.places, m.Incarnation)
	anew := slices.ContainsFunc(c.members, func(x wire.ViewMember) bool { return oneListener(x.Stream, m.Stream) })
	if !anew && !slices.Contains(c.left, m.Incarnation) {
		c.lost = bounded(append(without(c.lost, m.Incarnation), m))
	}
}

func bounded[T any](all []T) []T { return all[max(0, len(all)-maxLost):] }

// Left notes that a member said goodbye. Nobody waits for it as a candidate any more.
func (c *Core) Left(now time.Duration, id wire.PlayerID) {
	c.now = now
	if m, ok := c.byID(id); ok {
		c.leaves(m.Incarnation)
		c.elect()
	}
}

// HasLeft reports whether a program said goodbye.
func (c *Core) HasLeft(i wire.Incarnation) bool { return slices.Contains(c.left, i) }

func (c *Core) leaves(i wire.Incarnation) {
	if !slices.Contains(c.left, i) {
		c.left = bounded(append(c.left, i))
	}
	c.lost = without(c.lost, i)
}

// logged handles a LOG: the leader's next operation, or its answer to this program's OWN.
func (c *Core) logged(m *wire.ExtensionView) {
	switch {
	case c.list == nil || c.Leads() || m.View != c.view || m.From.Incarnation != c.view.Incarnation || c.frozen():
		return
	case len(m.Ops) == 0:
		if m.Nonce == c.said.nonce && m.Index == c.list.Version() {
			c.settle()
		}
		return
	case m.Index <= c.list.Version():
		return
	case m.Index > c.list.Version()+1:
		c.behind(c.list.Version())
		return
	}
	n, err := unpack(m.Ops[0])
	if err != nil || n.Version != m.Index {
		return
	}
	d, deletes := n.Op.(playerlist.DeletePlayer)
	own := deletes && len(m.Members) == 1 && m.Members[0].System == owner(c.list, d.ID)
	c.removes(n.Op)
	if _, err := c.list.Apply(n.Op); err != nil {
		c.behind(0)
		return
	}
	if o, ok := n.Op.(playerlist.InstructConnect); ok && len(m.Members) == 1 && m.Members[0].System == o.ID {
		c.addMember(m.Members[0])
	}
	c.confirm(n.Op, own)
}

// addMember makes a program a member.
func (c *Core) addMember(m wire.ViewMember) {
	if _, in := c.byID(m.System); !in {
		c.members = append(without(c.members, m.Incarnation), m)
		c.found(m)
	}
}

// confirm removes an operation from the changes that are ahead, or has it take effect. Changes of its maker before it, about the same, were
// lost on the way to the leader.
func (c *Core) confirm(op playerlist.Op, own bool) {
	k := slices.IndexFunc(c.ahead, func(x change) bool { return same(x.op, op) })
	before := c.ahead
	if k >= 0 {
		before = c.ahead[:k]
	}
	overtakes := slices.ContainsFunc(before, func(x change) bool { return clash(x.op, op) })
	switch {
	case k < 0 && overtakes:
		c.rebase(Install{})
	case k < 0:
		c.effect(Show{keep(op), own})
	case !overtakes:
		c.ahead = slices.Delete(c.ahead, k, k+1)
	case c.ahead[k].own && slices.ContainsFunc(before, func(x change) bool { return x.own && clash(x.op, op) }):
		// the leader's answer to OWN decides
	default:
		from, ids := c.ahead[k].from, touched(op)
		c.ahead = slices.Concat(slices.DeleteFunc(slices.Clone(before), func(x change) bool {
			return x.from == from && slices.Equal(touched(x.op), ids)
		}), c.ahead[k+1:])
		c.rebase(Install{})
	}
}

// Lacks reports whether the program's list still has to change by the operation of a [Show]. Then its maker's message is still to come.
func (c *Core) Lacks(op playerlist.Op) bool {
	if holds(c.cfg.List(), op) {
		return false
	}
	if len(c.early) < maxAhead {
		c.early = append(c.early, change{op: op, since: c.now})
	}
	return true
}

// clash reports whether the order of two operations matters.
func clash(a, b playerlist.Op) bool {
	x := touched(a)
	return slices.ContainsFunc(touched(b), func(id wire.PlayerID) bool { return id != 0 && slices.Contains(x, id) })
}

// touched returns the ids that an operation is about.
func touched(op playerlist.Op) (ids []wire.PlayerID) {
	replaced(op, func(id wire.PlayerID) wire.PlayerID {
		ids = append(ids, id)
		return id
	})
	return ids
}

// Refused makes the program's list anew, because it refused the operation of a [Show].
func (c *Core) Refused() { c.rebase(Install{}) }

// seen returns the list that the program sees: the confirmed one with what is ahead of it.
func (c *Core) seen() *playerlist.List {
	l := clone(c.list)
	for _, x := range c.ahead {
		_, _ = l.Apply(x.op)
	}
	return l
}

// rebase makes the program's list the confirmed one with the changes ahead of it. It forgets changes of others that are in effect or void;
// this program's own wait for the leader's answer.
func (c *Core) rebase(x Install) {
	l := clone(c.list)
	c.ahead = slices.DeleteFunc(c.ahead, func(x change) bool {
		done := holds(l, x.op)
		if !done {
			_, err := l.Apply(x.op)
			done = err != nil
		}
		return done && !x.own
	})
	x.List, x.Self, x.Leader, x.Members = l, c.self.System, c.view.Leader, slices.Clone(c.members)
	c.effect(x)
}

// behind asks the leader for the operations after an index; 0: for the whole list.
func (c *Core) behind(index uint32) {
	if c.now < c.lacks {
		return // it is asked
	}
	c.lacks = c.now + c.cfg.Probe
	c.send(c.leader(), &wire.ExtensionView{Step: wire.ViewBehind, View: c.view, Place: c.view, Index: index})
}

// sendBehind sends a member the operations that it lacks, or the whole list.
func (c *Core) sendBehind(m *wire.ExtensionView) {
	to, ok := c.member(m.From.Incarnation)
	if !ok || !c.Leads() || c.frozen() || m.View != c.view || !c.serves(m.From.Incarnation, wire.ViewBehind) {
		return
	}
	if ops, ok := c.list.Since(m.Index); ok && m.Index > 0 {
		for _, n := range ops {
			c.send(to, c.numbered(n, pack(n)))
		}
		return
	}
	c.install(to, 0)
}

// digested is the digest of a list at a version, so that it is computed once.
type digested struct {
	list    *playerlist.List
	version uint32
	sum     uint32
}

// digest returns a checksum of all players and groups, without addresses and the session's description. Members at one index have the same one.
func (c *Core) digest() uint32 {
	if c.digested.list == c.list && c.digested.version == c.list.Version() {
		return c.digested.sum
	}
	h := fnv.New32a()
	var b []byte
	add := func(e *playerlist.Entry) {
		b = b[:0]
		for _, n := range [...]uint32{uint32(e.ID), uint32(e.System), uint32(e.Parent), uint32(e.Flags), e.Added} {
			b = binary.LittleEndian.AppendUint32(b, n)
		}
		h.Write(b)
		for _, text := range [...][]byte{e.ShortName, e.LongName, e.Data} {
			h.Write(binary.LittleEndian.AppendUint32(b[:0], uint32(len(text))))
			h.Write(text)
		}
	}
	for e := range c.list.EachPlayer() {
		add(&e)
	}
	var ids []wire.PlayerID
	for e := range c.list.EachGroup() {
		add(&e)
		ids = c.list.AppendShortcuts(c.list.AppendMembers(ids[:0], e.ID), e.ID)
		for _, id := range ids {
			h.Write(binary.LittleEndian.AppendUint32(b[:0], uint32(id)))
		}
	}
	c.digested = digested{c.list, c.list.Version(), h.Sum32()}
	return c.digested.sum
}

// said is the last OWN: it had this program's changes up to a number.
type said struct {
	nonce, number uint32
	at            time.Duration
}

// stuck reports whether no POSITION of the leader led to the end of another machine's change, because its datagrams are lost. A player or group
// that its owner deleted stays deleted.
func (c *Core) stuck(x *change) bool {
	return !x.own && c.now-x.since >= 4*c.cfg.Period && !deletes(c.list, x)
}

// sayAgain sends an OWN to the leader: this program's own part of the list, and its other changes that have no number yet.
func (c *Core) sayAgain() {
	if c.Leads() || c.frozen() || !slices.ContainsFunc(c.ahead, func(x change) bool { return x.own || c.stuck(&x) }) {
		return
	}
	c.said = said{c.cfg.Random(), c.made, c.now}
	m := wire.ExtensionView{Step: wire.ViewOwn, View: c.view, Index: c.list.Version(), Nonce: c.said.nonce}
	ops := packState(c.seen(), c.self.System)
	for _, x := range c.ahead {
		if x.own && shared(x.op) {
			m.Base++ // so many at the end are operations
			ops = append(ops, pack(playerlist.Numbered{Op: x.op}))
		}
	}
	c.inParts(c.leader(), m, ops)
}

// settle forgets the changes that the last OWN had: they have numbers, or are void. It undoes others that the leader's log still lacks.
func (c *Core) settle() {
	n := len(c.ahead)
	c.ahead = slices.DeleteFunc(c.ahead, func(x change) bool { return x.number <= c.said.number && (x.own || c.stuck(&x)) })
	if c.said = (said{}); len(c.ahead) < n {
		c.rebase(Install{})
	}
}

// shared reports whether an operation is about something that several members may change.
func shared(op playerlist.Op) bool {
	switch op.(type) {
	case playerlist.AddMember, playerlist.RemoveMember, playerlist.AddShortcut, playerlist.RemoveShortcut, playerlist.DeleteGroup:
		return true
	}
	return false
}

// own handles an OWN.
func (c *Core) own(m *wire.ExtensionView, ops []playerlist.Numbered) {
	from, ok := c.member(m.From.Incarnation)
	if !ok || !c.Leads() || c.frozen() || m.View != c.view || uint32(len(ops)) < m.Base || !c.serves(m.From.Incarnation, m.Step) {
		return
	}
	rows := len(ops) - int(m.Base)
	c.numberOwn(&promise{who: from, in: true, index: m.Index, own: ops[:rows]})
	fits := c.room(c.list)
	for _, n := range ops[rows:] {
		if shared(n.Op) && !holds(c.list, n.Op) && fits(n.Op) {
			c.numberShown(n.Op)
		}
	}
	c.send(from, &wire.ExtensionView{Step: wire.ViewLog, View: c.view, Index: c.list.Version(), Nonce: m.Nonce})
}

// numberOwn numbers the operations that make a member's own part of the list equal to its OWN.
func (c *Core) numberOwn(p *promise) {
	want := clone(c.list)
	c.bring(want, []*promise{p}, nil)
	for _, op := range playerlist.Diff(c.list, want) {
		c.numberShown(op)
	}
}

// numberShown numbers an operation that is not in the program's list yet.
func (c *Core) numberShown(op playerlist.Op) {
	before := c.list.Version()
	if c.number(op); c.list.Version() > before {
		c.effect(Show{Op: keep(op)})
	}
}
