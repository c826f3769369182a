package pcapfile

import (
	"bytes"
	"io"
	"math"
)

// ngOverhead is how many octets of a block are not its body: type and both lengths.
const ngOverhead = 12

// A ngCopier copies the blocks of one pcapng file.
type ngCopier struct {
	*copier
	f     *ngFormat
	first bool         // the next section is the first
	large bytes.Buffer // a block that is too large to be held in the source's buffer
}

// pcapng copies a pcapng file up to io.EOF.
func (c *copier) pcapng() error {
	n := ngCopier{copier: c, f: &ngFormat{src: &c.src}, first: true}
	var err error
	for err == nil && c.err == nil {
		var b ngBlock
		if b, err = n.f.block(); err == nil {
			err = n.copy(b)
		}
	}
	return err
}

// copy copies a block. It is whole before any of it is written.
func (n *ngCopier) copy(b ngBlock) error {
	var p Packet
	var err error
	switch b.typ {
	case ngEnhancedPacket, ngPacketObsolete:
		p, err = n.f.enhanced(b)
	case ngSimplePacket:
		_, err = n.f.simple(b)
	case ngInterface:
		err = n.f.describe(b)
	case ngSectionHeader:
		err = n.f.section(b)
	}
	if err != nil {
		return err
	}
	h, err := n.whole(b)
	if err != nil {
		return err
	}
	switch b.typ {
	case ngEnhancedPacket, ngPacketObsolete:
		n.packet(b, h, 28+len(p.Data))
	case ngSectionHeader:
		n.section(b, h)
	case ngSimplePacket:
		n.frame(n.f.order, MaxHeldBlock, &n.done.Bare)
		n.write(h)
	default:
		n.write(h)
	}
	return nil
}

// packet copies the packet block h, whose packet ends at an octet of it. Comments of the frame come before the options that it
// has.
func (n *ngCopier) packet(b ngBlock, h []byte, end int) {
	end = min((end+3)&^3, b.size-ngTrailer)
	follow := h[end : b.size-ngTrailer]
	comments := n.frame(n.f.order, MaxHeldBlock-b.size-len(endOption), &n.done.Commented)
	n.block(n.f.order, b.typ, h[8:end], closed(comments, len(follow)), follow)
}

// section copies the section header h. Its length is left open, because what follows gets longer.
func (n *ngCopier) section(b ngBlock, h []byte) {
	var comments []byte
	if n.first {
		n.first = false
		comments = n.list(n.f.order, n.comments.Section, MaxBlock-b.size-len(endOption))
	}
	follow := h[ngSectionSize-ngTrailer : b.size-ngTrailer]
	n.block(n.f.order, b.typ, h[8:16], n.f.order.AppendUint64(nil, math.MaxUint64), closed(comments, len(follow)), follow)
}

// whole returns a block. It is valid until the next block is read.
func (n *ngCopier) whole(b ngBlock) ([]byte, error) {
	if b.size <= MaxHeldBlock {
		return n.f.hold(b, ngBlockHeader, "block")
	}
	n.large.Reset()
	done, err := io.CopyN(&n.large, n.f.src.br, int64(b.size))
	n.f.src.off += done
	if err != nil {
		return nil, n.f.src.ended("block", b.at, err)
	}
	h := n.large.Bytes()
	return h, n.f.trailer(b, h[b.size-ngTrailer:])
}
