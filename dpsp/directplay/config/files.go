package config

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/recording"
)

// What is written for a player who forgets that he asked for it.
const (
	maxLog       = 16 << 20 // octets; one that has them already is begun anew
	maxRecording = 1 << 30
	maxNumber    = 999 // of recordings of one name
)

var (
	errFull   = errors.New("the file is as large as it may become")
	errNoFile = errors.New("is no file")
)

// limited is a file that grows up to a size.
type limited struct {
	mu   sync.Mutex
	file *os.File
	left int64
}

// Write writes all or nothing.
func (l *limited) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if int64(len(b)) > l.left {
		l.left = 0
		return 0, errFull
	}
	n, err := l.file.Write(b)
	l.left -= int64(n)
	return n, err
}

// openLog opens a log to append to. One that is as large as it may become is begun anew.
func openLog(name string) (*limited, error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	size, err := sizeOf(name)
	if errors.Is(err, errNoFile) {
		return nil, err
	}
	if size >= maxLog {
		flags, size = flags|os.O_TRUNC, 0
	}
	f, err := os.OpenFile(name, flags, 0o666)
	if err != nil {
		return nil, err
	}
	return &limited{file: f, left: maxLog - size}, nil
}

// openRecording begins a recording in a new file.
func openRecording(name string, log *slog.Logger) (*recorder, error) {
	f, err := create(name)
	if err != nil {
		return nil, err
	}
	w, err := recording.New(&limited{file: f, left: maxRecording})
	if err != nil {
		f.Close()
		return nil, err
	}
	log.Info("recording", "file", f.Name())
	return &recorder{Writer: w, log: log, name: f.Name()}, nil
}

// create makes a file of a name or, where there are such already, of the name with a number.
func create(name string) (*os.File, error) {
	extension := filepath.Ext(name)
	base := strings.TrimSuffix(name, extension)
	next := name
	for n := 2; n <= maxNumber+1; n++ {
		f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // it has names, chat and passwords
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
		next = fmt.Sprintf("%s-%d%s", base, n, extension)
	}
	return nil, fmt.Errorf("%s: there are %d recordings of this name already", name, maxNumber)
}

// recorder is a recording whose end is told.
type recorder struct {
	*recording.Writer
	log  *slog.Logger
	name string
	once sync.Once
}

// Packet takes a message.
func (r *recorder) Packet(at time.Time, transport dpsp.Transport, from, to netip.AddrPort, data []byte) {
	r.Writer.Packet(at, transport, from, to, data)
	if err := r.Err(); err != nil {
		r.once.Do(func() { r.log.Warn("the recording has ended", "file", r.name, "why", err.Error()) })
	}
}
