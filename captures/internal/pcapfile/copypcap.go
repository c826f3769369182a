package pcapfile

import (
	"encoding/binary"
	"math"
	"time"
)

// The options of the interface that stands for a pcap file.
const optFCSLen = 13 // if_fcslen, 1 octet

// pcap copies a pcap file, one section with one interface, up to io.EOF.
func (c *copier) pcap() error {
	v := pcapVet{src: &c.src}
	if err := v.fileHeader(); err != nil {
		return err
	}
	err := c.pcapInterface(&v)
	for err == nil && c.err == nil {
		if err = v.record(); err == nil {
			c.pcapRecord(&v)
		}
	}
	return err
}

// pcapInterface writes the section header and the interface of a pcap file.
func (c *copier) pcapInterface(v *pcapVet) error {
	o := binary.LittleEndian
	h := c.src.held(pcapFileHeader)
	network := v.order.Uint32(h[20:])
	link := network & linkTypeBits
	if link > math.MaxUint16 {
		return c.src.fail("link type", 20, uint64(link), ErrLimit)
	}
	head := o.AppendUint16(o.AppendUint16(o.AppendUint32(nil, ngOrderMagic), 1), 0)
	c.block(o, ngSectionHeader, o.AppendUint64(head, math.MaxUint64), closed(c.list(o, c.comments.Section, MaxHeldBlock), 0))
	body := o.AppendUint32(o.AppendUint16(o.AppendUint16(nil, uint16(link)), 0), v.order.Uint32(h[16:]))
	body = appendOption(body, o, optTSResol, v.resolution)
	if network&fcsPresent != 0 {
		body = appendOption(body, o, optFCSLen, byte(network>>fcsShift)*2) // there in units of 16 bits
	}
	c.block(o, ngInterface, body, endOption)
	return nil
}

// Where the link type's field of a pcap file header tells the length of the frame check sequence.
const (
	fcsPresent = 1 << 26
	fcsShift   = 28
)

func appendOption(b []byte, o order, code uint16, value ...byte) []byte {
	b = o.AppendUint16(o.AppendUint16(b, code), uint16(len(value)))
	return pad(append(b, value...), len(value))
}

// pcapRecord copies the record that was let through.
func (c *copier) pcapRecord(v *pcapVet) {
	h := c.src.held(v.last)
	o := binary.LittleEndian
	data := h[v.recordHeader:]
	ts := uint64(v.order.Uint32(h))*uint64(time.Second/v.unit) + uint64(v.order.Uint32(h[4:]))
	body := o.AppendUint32(nil, 0) // the interface
	body = o.AppendUint32(o.AppendUint32(body, uint32(ts>>32)), uint32(ts))
	body = o.AppendUint32(o.AppendUint32(body, uint32(len(data))), v.order.Uint32(h[12:]))
	comments := c.frame(o, MaxHeldBlock-len(data)-ngEnhancedSize-3-len(endOption), &c.done.Commented)
	c.block(o, ngEnhancedPacket, body, data, pad(nil, len(data)), closed(comments, 0))
}
