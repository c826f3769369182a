// Package recordfile writes the file of --record.
package recordfile

import (
	"cmp"
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/outfile"
	"dplay4/dpsp"
	"dplay4/dpsp/recording"
	"dplay4/dpsp/sock"
)

// A File is the file of --record. Nil records nothing.
type File struct {
	file   *outfile.File
	out    *recording.Writer
	failed func(error) // called once, when the first packet cannot be written
	once   sync.Once
	inside atomic.Bool // a session is open, or was
}

// Create begins a file, which grows under its name, so that a crash leaves all packets up to then:
//
//   - A new file gets its name with the first packet. The search for a session that cannot be joined is kept, for diagnosis.
//   - A file that has something in it is only replaced by force, and only once a session is open.
//   - Without a packet, a session that cannot be opened leaves a file of that name as it was.
//
// tell is called if everybody can read the file. failed is called, from any goroutine, at the first packet that cannot be written.
func Create(name string, force bool, tell func(string), failed func(error)) (r *File, err error) {
	r = &File{failed: failed}
	if r.file, err = outfile.Create(name, outfile.Options{Mode: outfile.Private, Force: force, Tell: tell}); err != nil {
		return nil, err
	}
	if r.out, err = recording.New(r); err != nil {
		r.file.Abort()
		return nil, err
	}
	return r, nil
}

// Write writes octets of the recording.
func (r *File) Write(b []byte) (int, error) {
	if r.out != nil && (r.inside.Load() || !r.file.Replaces()) {
		if err := r.file.Place(); err != nil {
			return 0, err
		}
	}
	return r.file.Write(b)
}

// Opened allows the file to replace another one, because a session is open.
func (r *File) Opened() {
	if r != nil {
		r.inside.Store(true)
	}
}

// Note tells the user that the session is recorded.
func Note(name string) string {
	return "recording to " + captures.Printable(name) + ", with names, chat and passwords in it"
}

// Recorder returns the recorder for package sock.
func (r *File) Recorder() sock.Recorder {
	if r == nil {
		return nil
	}
	return sock.Addressed(r)
}

// Packet records a message.
func (r *File) Packet(at time.Time, transport dpsp.Transport, from, to netip.AddrPort, data []byte) {
	r.out.Packet(at, transport, from, to, data)
	if err := r.out.Err(); err != nil && !errors.Is(err, recording.ErrClosed) {
		r.once.Do(func() { r.failed(err) })
	}
}

// Close ends the file, and returns the first error of the recording. Without a session, a file that has no name yet is removed.
func (r *File) Close(session bool) error {
	if r == nil {
		return nil
	}
	err := r.out.Close()
	if !session && !r.inside.Load() {
		r.file.Abort()
		return err
	}
	return cmp.Or(err, r.file.Commit())
}
