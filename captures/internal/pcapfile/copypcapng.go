package pcapfile

import (
	"bytes"
	"encoding/binary"
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
	n := ngCopier{copier: c, f: &ngFormat{src: &c.src, order: binary.LittleEndian}, first: true}
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
	switch b.typ {
	case ngEnhancedPacket, ngPacketObsolete:
		p, err := n.f.enhanced(b)
		if err != nil {
			return err
		}
		n.packet(b, 28+len(p.Data))
		return nil
	case ngSimplePacket:
		if _, err := n.f.simple(b); err != nil {
			return err
		}
		n.simple(b)
		return nil
	case ngInterface:
		h, err := n.f.hold(b, ngInterfaceSize, "Interface Description Block")
		if err != nil {
			return err
		}
		h = bytes.Clone(h)
		if err := n.f.describe(b); err != nil {
			return err
		}
		n.write(h)
		return nil
	case ngSectionHeader:
		if err := n.f.section(b); err != nil {
			return err
		}
		return n.section(b)
	}
	h, err := n.whole(b)
	if err == nil {
		n.write(h)
	}
	return err
}

// packet copies the packet block that was read, whose packet ends at an octet of it. Comments of the frame come before
// the options that it has.
func (n *ngCopier) packet(b ngBlock, end int) {
	h := n.f.src.held(b.size)
	end = min((end+3)&^3, b.size-ngTrailer)
	follow := h[end : b.size-ngTrailer]
	comments := n.frame(n.f.order, MaxHeldBlock-b.size-len(endOption), &n.done.Commented)
	n.block(n.f.order, b.typ, h[8:end], closed(comments, len(follow)), follow)
	n.f.src.take(b.size)
}

// simple copies the simple packet block that was read.
func (n *ngCopier) simple(b ngBlock) {
	n.frame(n.f.order, MaxHeldBlock, &n.done.Bare)
	n.write(n.f.src.held(b.size))
	n.f.src.take(b.size)
}

// section copies a section header. Its length is left open, because what follows gets longer.
func (n *ngCopier) section(b ngBlock) error {
	h, err := n.whole(b)
	if err != nil {
		return err
	}
	var comments []byte
	if n.first {
		n.first = false
		comments = n.list(n.f.order, n.comments.Section, MaxBlock-b.size-len(endOption))
	}
	follow := h[ngSectionSize-ngTrailer : b.size-ngTrailer]
	n.block(n.f.order, b.typ, h[8:16], n.f.order.AppendUint64(nil, math.MaxUint64), closed(comments, len(follow)), follow)
	return nil
}

// whole returns a block, and leaves it behind. It is valid until more is read.
func (n *ngCopier) whole(b ngBlock) ([]byte, error) {
	if b.size <= MaxHeldBlock {
		h, err := n.f.hold(b, ngBlockHeader, "block")
		if err != nil {
			return nil, err
		}
		h = bytes.Clone(h)
		n.f.src.take(b.size)
		return h, nil
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
