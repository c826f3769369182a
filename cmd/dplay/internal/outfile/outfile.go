// Package outfile writes the files that people name with -o, --record and their like. All of them obey the same rules:
//
//   - A file stands under its name only when it is whole. Until then it is a temporary file in the same folder, .dplay-*.part. A full
//     disk or a signal leaves what stood under the name as it was.
//   - A file that is not empty, and a symbolic link, are replaced only by force. The link stays, and the file behind it is replaced.
//   - An empty file of another user is replaced only by force, too: its owner could read what is written.
//   - A new file has the mode that its kind asks for: Private if a password may be in it. So has one in place of an empty file of
//     ours, unless that was stricter.
//   - A file that is replaced by force keeps its mode, and its owner where the system allows that. Options.Tell is told if everybody
//     can read a Private one then.
//   - A device, a pipe and /dev/stdout are written to as they are.
package outfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"dplay4/cmd/dplay/internal/cli"
)

// The modes of new files.
const (
	Private fs.FileMode = 0o600 // it may have a password in it
	Public  fs.FileMode = 0o666 // less the user's umask
)

// Options say how a file is written.
type Options struct {
	Mode  fs.FileMode
	Force bool
	// Input is the program's input, which is not to be replaced; nil: it is no file.
	Input fs.FileInfo
	// Tell, if not nil, is told if a Private file keeps a mode by which everybody can read it.
	Tell func(string)
}

// A File is a file that is being written.
type File struct {
	file   *os.File
	name   string // that the user gave
	target string // that it gets, with links followed; "": it is written in place
	heir   bool   // a file that has something in it stood under the name
	opt    Options
}

// Create begins a file. An error wraps fs.ErrExist if there is one that takes force to replace.
func Create(name string, opt Options) (*File, error) {
	f := &File{name: name, target: name, opt: opt}
	old, err := f.old()
	switch {
	case err != nil:
	case old == nil:
		f.file, err = f.temporary(opt.Mode)
	case !isPlain(old, name):
		f.target = ""
		f.file, err = os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0) // with >> nothing that stands there is lost
	case old.Size() == 0 && !isOthers(old):
		f.file, err = f.temporary(opt.Mode & (Private | old.Mode().Perm()))
	default:
		err = f.succeed(old)
	}
	if err != nil {
		return nil, f.named("open", err)
	}
	return f, nil
}

// succeed makes a file that is like the one that it replaces.
func (f *File) succeed(old fs.FileInfo) (err error) {
	f.heir = old.Size() > 0
	if f.file, err = f.temporary(Private); err != nil {
		return err
	}
	keepOwner(f.file, old)
	if err := f.file.Chmod(old.Mode().Perm()); err != nil {
		f.Abort()
		return err
	}
	if note := cli.OpenToAll(f.name, old); note != "" && f.opt.Mode == Private && f.opt.Tell != nil {
		f.opt.Tell(note)
	}
	return nil
}

// isPlain reports whether a file can be replaced: no device, and none that this process was given.
func isPlain(info fs.FileInfo, name string) bool {
	return info.Mode().IsRegular() && !isDescriptor(name)
}

// old returns what stands under the name, nil if nothing does. It fails if that must not be replaced.
func (f *File) old() (fs.FileInfo, error) {
	link, err := os.Lstat(f.target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(f.target)
	if err != nil {
		return nil, fmt.Errorf("%s: a symbolic link that leads nowhere: name the file itself", f.name)
	}
	isLink := link.Mode()&fs.ModeSymlink != 0
	switch {
	case !isPlain(info, f.target):
		return info, nil
	case os.SameFile(info, f.opt.Input):
		return nil, fmt.Errorf("%s would write over the capture: name another file", f.name)
	case f.opt.Force:
	case isLink:
		return nil, fmt.Errorf("%s: %w, a symbolic link: name another file, or --force to replace the file behind it", f.name, fs.ErrExist)
	case info.Size() > 0:
		return nil, fmt.Errorf("%s: %w and is not empty: name another one, or --force to replace it", f.name, fs.ErrExist)
	case isOthers(info):
		return nil, fmt.Errorf("%s: %w and belongs to another user: name another one, or --force to replace it", f.name, fs.ErrExist)
	}
	if isLink {
		f.target, err = filepath.EvalSymlinks(f.target)
	}
	return info, err
}

// temporary makes the file that gets the name at the end.
func (f *File) temporary(mode fs.FileMode) (*os.File, error) {
	name := filepath.Join(filepath.Dir(f.target), ".dplay-"+rand.Text()+".part")
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	var path *fs.PathError
	if errors.As(err, &path) {
		if info, e := os.Stat(filepath.Dir(name)); e == nil && info.IsDir() {
			path.Err = f.beside(path.Err)
		}
	}
	return file, err
}

// beside says that the file is not written in place: the right to write into the file alone is not enough.
func (f *File) beside(err error) error {
	return fmt.Errorf("%w: it is written as a temporary file in %s, and then renamed", err, filepath.Dir(f.target))
}

// isDescriptor reports whether a name stands for a file that this process has open, as /dev/stdout does. To replace that file would
// take it away from the program that opened it.
func isDescriptor(name string) bool {
	const longest = 8 // chain of links
	for range longest {
		if strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/") {
			return true
		}
		to, err := os.Readlink(name)
		if err != nil {
			return false
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	return false
}

// named returns an error of the system with the name that the user gave, not that of the temporary file.
func (f *File) named(did string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return &fs.PathError{Op: did, Path: f.name, Err: path.Err}
	case errors.As(err, &link):
		return &fs.PathError{Op: did, Path: f.name, Err: f.beside(link.Err)}
	}
	return err
}

// Replaces reports whether the file takes the place of one that has something in it.
func (f *File) Replaces() bool { return f.heir && f.target != "" }

// Write implements io.Writer.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.file.Write(b)
	return n, f.named("write", err)
}

// Place gives a file its name before it is whole. That is for a recording, which grows and has to survive a crash.
func (f *File) Place() error {
	if f.target == "" {
		return nil
	}
	if err := f.rename(); err != nil {
		f.Abort()
		return f.named("replace", err)
	}
	f.target = ""
	return nil
}

// free returns an error if the name is taken now by a file that takes force to replace. With force nothing is looked at again: a link that
// came meanwhile is replaced, and not the file behind it.
func (f *File) free() error {
	if f.opt.Force {
		return nil
	}
	_, err := f.old()
	return err
}

// rename gives the open file its name if that is free.
func (f *File) rename() error {
	if err := f.free(); err != nil {
		return err
	}
	temporary := f.file.Name()
	if runtime.GOOS != "windows" {
		return os.Rename(temporary, f.target)
	}
	err := errors.Join(f.file.Close(), os.Rename(temporary, f.target)) // it renames no file that is open
	if err == nil {
		f.file, err = os.OpenFile(f.target, os.O_WRONLY|os.O_APPEND, 0)
	}
	return err
}

// Commit ends a file and gives it its name. If that fails it is as if there had been no file.
func (f *File) Commit() error {
	if f.target == "" {
		return f.named("close", f.file.Close())
	}
	err := errors.Join(f.free(), f.file.Sync(), f.file.Close())
	if err == nil {
		err = os.Rename(f.file.Name(), f.target)
	}
	if err != nil {
		f.Abort()
		return f.named("write", err)
	}
	f.target = ""
	return nil
}

// Abort drops a file that has no name yet. After Commit it does nothing, nor if there is no file.
func (f *File) Abort() {
	if f == nil {
		return
	}
	f.file.Close() //nolint:errcheck // nobody reads it
	if f.target != "" {
		os.Remove(f.file.Name()) //nolint:errcheck // it has another name than the user's
	}
}

// Write writes a file at once.
func Write(name string, text []byte, opt Options) error {
	f, err := Create(name, opt)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Commit()
}

// Begin opens a file that grows, under its name.
func Begin(name string, opt Options) (*os.File, error) {
	f, err := Create(name, opt)
	if err == nil {
		err = f.Place()
	}
	if err != nil {
		return nil, err
	}
	return f.file, nil
}
