package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"sync"
	"time"

	"dplay4/captures"
	"dplay4/captures/recording"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
)

// A record is the file of --record. Nil records nothing.
type record struct {
	file   *os.File
	out    *recording.Writer
	failed func(error) // called once, when the first packet cannot be written
	once   sync.Once
}

// newRecord begins a file. One that has something in it already is only replaced by force. failed is told at once when
// the file cannot take any more, as on a full disk; it may be called by any goroutine.
func newRecord(name string, force bool, failed func(error)) (*record, error) {
	f, err := openEmpty(name, force, 0o600) // it will have names, chat and passwords in it
	if err != nil {
		return nil, err
	}
	w, err := recording.New(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &record{file: f, out: w, failed: failed}, nil
}

// recordingTo says that what happens is recorded.
func recordingTo(name string) string {
	return "recording to " + captures.Printable(name) + ", with names, chat and passwords in it"
}

// openEmpty opens a file that is to be written, and is empty then. One that has something in it is only replaced by force. A new one
// has the permissions.
func openEmpty(name string, force bool, permissions os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, permissions)
	if err != nil {
		return nil, err
	}
	if err := empty(f, force); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// empty makes an opened file empty. A pipe or a device has nothing to lose.
func empty(f *os.File, force bool) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return nil
	case info.Size() > 0 && !force:
		return fmt.Errorf("%s: %w and is not empty: name another one, or --force to replace it", f.Name(), fs.ErrExist)
	}
	return f.Truncate(0)
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

// close ends the file. The first error of the whole recording is told here.
func (r *record) close() error {
	if r == nil {
		return nil
	}
	err := r.out.Close()
	if e := r.file.Close(); err == nil {
		err = e
	}
	return err
}
