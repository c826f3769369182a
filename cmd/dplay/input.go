package main

import (
	"errors"
	"io"
	"os"
)

// stdinName is what standard input is called on the command line.
const stdinName = "-"

// An input is one capture to read.
type input struct {
	r     io.Reader
	size  int64 // in octets; 0: not known
	live  bool  // it may pause, so that output must not wait for more of it
	close func()

	spooled bool // it is a copy of a stream
}

// openInput opens a file, or takes standard input.
func openInput(name string, stdin io.Reader) (*input, error) {
	if name == stdinName {
		return openStdin(stdin), nil
	}
	if !shellGlobs && isGlob(name) {
		return nil, &os.PathError{Op: "open", Path: name, Err: errors.New("no file matches")}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	in := &input{r: f, close: func() { f.Close() }} // only read from
	if info, err := f.Stat(); err == nil {
		switch {
		case info.IsDir():
			in.close()
			return nil, &os.PathError{Op: "read", Path: name, Err: errors.New("is a directory")}
		case info.Mode().IsRegular():
			in.size = info.Size()
		case info.Mode()&(os.ModeNamedPipe|os.ModeSocket|os.ModeCharDevice) != 0:
			in.live = true
		}
	}
	return in, nil
}

func openStdin(stdin io.Reader) *input {
	in := &input{r: stdin, close: func() {}}
	if f, ok := stdin.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			in.size = info.Size()
			return in
		}
	}
	in.live = true
	return in
}

// openTwice opens a file that can be read twice, from where it stands: what cannot is copied to a file first.
func openTwice(name string, stdin io.Reader) (*input, error) {
	in, err := openInput(name, stdin)
	if err != nil {
		return nil, err
	}
	if f, ok := in.r.(io.Seeker); ok {
		if _, err := f.Seek(0, io.SeekCurrent); err == nil {
			return in, nil
		}
	}
	defer in.close()
	return spool(in.r)
}

// spool copies a stream to a file that goes away when it is closed.
func spool(r io.Reader) (*input, error) {
	f, err := os.CreateTemp("", "dplay-*")
	if err != nil {
		return nil, err
	}
	drop := func() {
		f.Close()           //nolint:errcheck // it goes away
		os.Remove(f.Name()) //nolint:errcheck // the system clears its temporary files
	}
	size, err := io.Copy(f, r)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		drop()
		return nil, err
	}
	return &input{r: f, size: size, close: drop, spooled: true}, nil
}
