package main

import (
	"strconv"

	"dplay4/captures"
	"dplay4/captures/show"
)

// A textPrinter writes a line a message, with a tree of its fields or its octets below.
type textPrinter struct {
	silence
	header       fileHeader
	line         show.Line
	tree         show.Tree
	verbose, hex bool
	color        bool
}

func newTextPrinter(f *decodeFlags, color bool) *textPrinter {
	return &textPrinter{
		header:  fileHeader{several: f.several},
		line:    show.Line{Color: color, Payload: payloadFormats[f.Payload.Value], Times: timeFormats[f.Time.Value], Zone: f.zone()},
		tree:    show.Tree{Payload: payloadFormats[f.Payload.Value]},
		verbose: f.Verbose, hex: f.Hex, color: color,
	}
}

func (p *textPrinter) file(b []byte, name string) []byte {
	p.line.Begin()
	return p.header.append(b, name)
}

func (p *textPrinter) record(b []byte, r *captures.Record) []byte {
	b = p.line.Append(b, r)
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Code != captures.MessageMalformed { // the line has that one
			b = p.note(b, "        ! ", f)
		}
	}
	if p.verbose {
		b = show.AppendOrigin(b, r)
		b = p.tree.Append(b, r)
	}
	if p.hex {
		b = show.HexDump(b, r.Raw)
	}
	if p.verbose || p.hex {
		b = append(b, '\n')
	}
	return b
}

func (p *textPrinter) finding(b []byte, f *captures.Finding) []byte {
	if f.Frame == 0 {
		return p.note(b, "  ! ", f)
	}
	return p.note(b, "  ! frame "+strconv.Itoa(f.Frame)+": ", f)
}

// note writes a finding as a line.
func (p *textPrinter) note(b []byte, before string, f *captures.Finding) []byte {
	if p.color {
		b = append(b, "\x1b[33m"...) // yellow
	}
	b = append(b, before...)
	b = append(b, f.Code...)
	b = append(b, ": "...)
	b = append(b, f.Text...)
	if p.color {
		b = append(b, "\x1b[0m"...)
	}
	return append(b, '\n')
}

// A fileHeader names each file where there are several, as head does.
type fileHeader struct {
	several, began bool
}

func (h *fileHeader) append(b []byte, name string) []byte {
	if !h.several {
		return b
	}
	if h.began {
		b = append(b, '\n')
	}
	h.began = true
	b = append(b, "==> "...)
	b = append(b, displayName(name)...)
	return append(b, " <==\n"...)
}

// statsText writes tables for each file.
type statsText struct {
	silence
	header  fileHeader
	several bool
	stats   show.Stats
}

func (p *statsText) file(b []byte, name string) []byte {
	p.header.several = p.several
	p.stats = show.Stats{}
	return p.header.append(b, name)
}

func (p *statsText) record(b []byte, r *captures.Record) []byte {
	p.stats.Add(r)
	return b
}

func (p *statsText) fileEnd(b []byte) []byte { return p.stats.AppendText(b) }
