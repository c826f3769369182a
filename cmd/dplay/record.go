package main

import (
	"cmp"
	"errors"
	"net/netip"
	"sync"
	"time"

	"dplay4/captures"
	"dplay4/captures/recording"
	"dplay4/cmd/dplay/internal/outfile"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
)

// A record is the file of --record. Nil records nothing.
type record struct {
	file   *outfile.File
	out    *recording.Writer
	failed func(error) // called once, when the first packet cannot be written
	once   sync.Once
}

// newRecord begins a file. It gets its name with the first packet or with close, so that a session that cannot be opened leaves a file
// of that name as it was. From then on it grows under its name, so that a crash leaves all packets up to then. A file that has
// something in it already is only replaced by force. failed is called at once when the file cannot take any more, as on a full disk;
// any goroutine may call it.
func newRecord(name string, force bool, failed func(error)) (r *record, err error) {
	r = &record{failed: failed}
	if r.file, err = outfile.Create(name, outfile.Options{Mode: outfile.Private, Force: force}); err != nil {
		return nil, err
	}
	if r.out, err = recording.New(r); err != nil {
		r.file.Abort()
		return nil, err
	}
	return r, nil
}

// Write writes what out gives, the header first.
func (r *record) Write(b []byte) (int, error) {
	if r.out != nil {
		if err := r.file.Place(); err != nil {
			return 0, err
		}
	}
	return r.file.Write(b)
}

// recordingTo says that what happens is recorded.
func recordingTo(name string) string {
	return "recording to " + captures.Printable(name) + ", with names, chat and passwords in it"
}

// recorder returns what package sock tells the traffic.
func (r *record) recorder() sock.Recorder {
	if r == nil {
		return nil
	}
	return sock.Addressed(r)
}

// Packet takes a message.
func (r *record) Packet(at time.Time, transport dpsp.Transport, from, to netip.AddrPort, data []byte) {
	r.out.Packet(at, transport, from, to, data)
	if err := r.out.Err(); err != nil && !errors.Is(err, recording.ErrClosed) {
		r.once.Do(func() { r.failed(err) })
	}
}

// close ends the file, and returns the first error of the whole recording. Without a session, a file that has no packet goes.
func (r *record) close(session bool) error {
	if r == nil {
		return nil
	}
	err := r.out.Close()
	if !session {
		r.file.Abort()
		return err
	}
	return cmp.Or(err, r.file.Commit())
}
