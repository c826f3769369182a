package playerlist

// A Numbered is an operation with its number.
type Numbered struct {
	Version uint32
	Op      Op
}

// An oplog remembers the last operations of a list, bounded by number and by what they hold.
type oplog struct {
	ops    []Op // the last one has the list's version
	octets int
}

func (g *oplog) add(op Op) {
	g.ops = append(g.ops, op)
	g.octets += logOpOctets + op.octets()
	for len(g.ops) > MaxLogOps || g.octets > MaxLogOctets {
		g.drop()
	}
}

// drop forgets the oldest operation.
func (g *oplog) drop() {
	g.octets -= logOpOctets + g.ops[0].octets()
	g.ops[0] = nil
	if g.ops = g.ops[1:]; len(g.ops) == 0 {
		g.ops = nil
	}
}

// Since gives the operations after a version, in order; they are copies. ok is false if the log no longer reaches
// back so far, and for a version that the list has not reached yet.
func (l *List) Since(version uint32) (ops []Numbered, ok bool) {
	if version > l.version || l.version-version > uint32(len(l.log.ops)) {
		return nil, false
	}
	last := l.log.ops[len(l.log.ops)-int(l.version-version):]
	if len(last) == 0 {
		return nil, true
	}
	ops = make([]Numbered, len(last))
	for i, op := range last {
		ops[i] = Numbered{Version: version + 1 + uint32(i), Op: op.keep(l)}
	}
	return ops, true
}

// Forget drops the operations up to and with a version from the log: all members have them
// ([MC-DPL8CS] 2.2.6, RESYNC_VERSION). Since(version) works still.
func (l *List) Forget(version uint32) {
	keep := 0
	if version < l.version {
		keep = int(min(l.version-version, MaxLogOps))
	}
	for len(l.log.ops) > keep {
		l.log.drop()
	}
}
