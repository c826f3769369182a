package main

import (
	"fmt"
	"strconv"

	"dplay4/captures"
	"dplay4/captures/jsonline"
	"dplay4/captures/show"
)

// A printer writes messages and findings in one of the formats. Its methods append to a buffer. If that is empty they may return
// another buffer, which is valid until the next call.
type printer interface {
	file(b []byte, name string) []byte // a file begins
	record(b []byte, r *captures.Record) []byte
	finding(b []byte, f *captures.Finding) []byte // one that belongs to no record
	held(b []byte) []byte                         // some of what is held back; nothing if there is no more
	fileEnd(b []byte) []byte
	end(b []byte) []byte
}

// A silence prints nothing. Printers embed it for methods that they do not need.
type silence struct{}

func (silence) finding(b []byte, _ *captures.Finding) []byte { return b }
func (silence) held(b []byte) []byte                         { return b }
func (silence) fileEnd(b []byte) []byte                      { return b }
func (silence) end(b []byte) []byte                          { return b }

func newPrinter(f *decodeFlags, color bool) printer {
	switch {
	case f.Stats && f.Format.Value == "text":
		return &statsText{header: fileHeader{several: f.several}}
	case f.Stats:
		return newStatsJSON(f)
	case f.Format.Value == "text":
		return newTextPrinter(f, color)
	}
	return newJSONPrinter(f)
}

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
	line := before + string(f.Code) + ": " + f.Text
	if p.color {
		line = "\x1b[33m" + line + "\x1b[0m" // yellow
	}
	return append(append(b, line...), '\n')
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
	return fmt.Appendf(b, "==> %s <==\n", displayName(name))
}

// statsText writes tables for each file.
type statsText struct {
	silence
	header fileHeader
	stats  show.Stats
}

func (p *statsText) file(b []byte, name string) []byte {
	p.stats = show.Stats{}
	return p.header.append(b, name)
}

func (p *statsText) record(b []byte, r *captures.Record) []byte {
	p.stats.Add(r)
	return b
}

func (p *statsText) fileEnd(b []byte) []byte { return p.stats.AppendText(b) }

// objects writes JSON objects: one a line, or as the elements of one array.
type objects struct {
	array, several bool
	began          bool
	name           []byte // the beginning of an object that names its file; empty where there is only one
}

// file prepares what each object of the file begins with.
func (o *objects) file(name string) {
	if !o.several {
		return
	}
	o.name = jsonline.AppendString(append(o.name[:0], `{"file":`...), name)
}

// append appends an object that write writes, with the name of its file as its first key.
func (o *objects) append(b []byte, write func(b []byte) []byte) []byte {
	switch {
	case o.array && !o.began:
		b = append(b, "[\n"...)
	case o.array:
		b = append(b, ",\n"...)
	}
	o.began = true
	b = append(b, o.name...)
	at := len(b)
	b = write(b)
	if len(o.name) > 0 {
		b[at] = ',' // instead of the brace
	}
	if !o.array {
		b = append(b, '\n')
	}
	return b
}

// end closes the array.
func (o *objects) end(b []byte) []byte {
	switch {
	case !o.array:
		return b
	case !o.began:
		return append(b, "[]\n"...)
	}
	return append(b, "\n]\n"...)
}

// A jsonPrinter writes an object a message, and one a finding that belongs to no message.
type jsonPrinter struct {
	silence
	formatting *formatting
}

func newJSONPrinter(f *decodeFlags) *jsonPrinter {
	o := objects{array: f.Format.Value == "json", several: f.several}
	return &jsonPrinter{formatting: newFormatting(o, payloadFormats[f.Payload.Value])}
}

func (p *jsonPrinter) file(b []byte, name string) []byte {
	p.formatting.objects.file(name)
	return b
}

func (p *jsonPrinter) record(b []byte, r *captures.Record) []byte {
	return joined(b, p.formatting.record(r))
}

func (p *jsonPrinter) finding(b []byte, f *captures.Finding) []byte {
	return joined(b, p.formatting.finding(f))
}

// joined returns b with octets behind it, without a copy where b is empty.
func joined(b, octets []byte) []byte {
	if len(b) == 0 {
		return octets
	}
	return append(b, octets...)
}

func (p *jsonPrinter) held(b []byte) []byte { return joined(b, p.formatting.flush()) }

func (p *jsonPrinter) end(b []byte) []byte {
	p.formatting.stop()
	return p.formatting.objects.end(b)
}

// statsJSON writes an object a file: on a line of its own, or, with --format json and several files, as the
// elements of an array.
type statsJSON struct {
	silence
	objects objects
	stats   show.Stats
}

func newStatsJSON(f *decodeFlags) *statsJSON {
	return &statsJSON{objects: objects{array: f.several && f.Format.Value == "json", several: f.several}}
}

func (p *statsJSON) file(b []byte, name string) []byte {
	p.objects.file(name)
	p.stats = show.Stats{}
	return b
}

func (p *statsJSON) record(b []byte, r *captures.Record) []byte {
	p.stats.Add(r)
	return b
}

func (p *statsJSON) fileEnd(b []byte) []byte {
	return p.objects.append(b, p.stats.AppendJSON)
}

func (p *statsJSON) end(b []byte) []byte { return p.objects.end(b) }
