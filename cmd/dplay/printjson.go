package main

import (
	"dplay4/captures"
	"dplay4/captures/jsonline"
	"dplay4/captures/show"
)

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
