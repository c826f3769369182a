package pcapfile

import (
	"encoding/binary"
	"io"
	"math"
)

// The options of the interface that stands for a pcap file.
const optFCSLen = 13 // if_fcslen, 1 octet

// pcap copies a pcap file: one section, one interface.
func (c *copier) pcap() error {
	v := pcapVet{src: &c.src, recordHeader: pcapRecordHeader}
	if err := v.fileHeader(); err != nil {
		return err
	}
	unit, err := c.pcapInterface(&v)
	for err == nil && c.err == nil {
		if err = v.record(); err == nil {
			err = c.pcapRecord(&v, unit)
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// pcapInterface writes the section header and the interface of a pcap file, and returns how many of its units make a
// second.
func (c *copier) pcapInterface(v *pcapVet) (unit uint64, err error) {
	o := binary.LittleEndian
	h, err := c.src.peek(pcapFileHeader)
	if err != nil {
		return 0, c.src.ended("file header", 0, err) // it was there
	}
	network := v.order.Uint32(h[20:])
	link := network & linkTypeBits
	if link > math.MaxUint16 {
		return 0, c.src.fail("link type", 20, uint64(link), ErrLimit)
	}
	head := o.AppendUint16(o.AppendUint16(o.AppendUint32(nil, ngOrderMagic), 1), 0)
	c.block(o, ngSectionHeader, o.AppendUint64(head, math.MaxUint64), closed(c.list(o, c.comments.Section, MaxHeldBlock), 0))
	resolution := byte(6)
	unit = 1e6
	if v.order.Uint32(h) == pcapNano {
		resolution, unit = 9, 1e9
	}
	body := o.AppendUint32(o.AppendUint16(o.AppendUint16(nil, uint16(link)), 0), v.order.Uint32(h[16:]))
	body = appendOption(body, o, optTSResol, resolution)
	if network&fcsPresent != 0 {
		body = appendOption(body, o, optFCSLen, byte(network>>fcsShift)*2) // there in units of 16 bits
	}
	c.block(o, ngInterface, body, endOption)
	return unit, nil
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
func (c *copier) pcapRecord(v *pcapVet, unit uint64) error {
	h, err := c.src.peek(v.last)
	if err != nil {
		return c.src.ended("Packet Data", c.src.off, err) // it was there
	}
	o := binary.LittleEndian
	data := h[v.recordHeader:]
	ts := uint64(v.order.Uint32(h))*unit + uint64(v.order.Uint32(h[4:]))
	body := o.AppendUint32(nil, 0) // the interface
	body = o.AppendUint32(o.AppendUint32(body, uint32(ts>>32)), uint32(ts))
	body = o.AppendUint32(o.AppendUint32(body, uint32(len(data))), v.order.Uint32(h[12:]))
	comments := c.frame(o, MaxHeldBlock-len(data)-ngEnhancedSize-3-len(endOption))
	if len(comments) > 0 {
		c.done.Commented++
	}
	c.block(o, ngEnhancedPacket, body, data, pad(nil, len(data)), closed(comments, 0))
	return nil
}
