package pcapfile

import (
	"errors"
	"strconv"
)

// The reasons for which reading a file stops. A [FileError] wraps one of them, or what the input returned.
var (
	// ErrEmpty says that the file has no octets at all.
	ErrEmpty = errors.New("file is empty")
	// ErrFormat says that the file begins like neither format.
	ErrFormat = errors.New("not a pcap or pcapng file")
	// ErrVersion says that the file has a version of its format that this package does not know.
	ErrVersion = errors.New("unknown version of the format")
	// ErrTruncated says that the file ends inside a record. All packets before it were delivered.
	ErrTruncated = errors.New("file ends inside a record")
	// ErrLimit says that a size or count is above a limit of this package.
	ErrLimit = errors.New("larger than the limit")
	// ErrValue says that a field contradicts another one or has a value that the format rules out.
	ErrValue = errors.New("value is not allowed")
	// ErrCompressed says that the gzip or zstd data is damaged. All packets before it were delivered.
	ErrCompressed = errors.New("compressed data is damaged")
)

// A FileError tells where reading a file stopped and why.
type FileError struct {
	Name   string // the file's name as given to NewReader
	Offset int64  // octets from the beginning of the uncompressed file to the field
	Frame  int    // number of the frame that was being read; outside packet records, of the last one before
	Field  string // the field's name in the format's specification, with its record or block
	Value  uint64 // the value that was refused, for ErrFormat, ErrVersion, ErrLimit and ErrValue
	Err    error  // one of the reasons of this package, or what the input returned
}

// Error returns file, frame, field, offset and reason in one line.
func (e *FileError) Error() string {
	s := e.Name + ": "
	if e.Frame > 0 {
		s += "frame " + strconv.Itoa(e.Frame) + ": "
	}
	s += e.Field + " at octet " + strconv.FormatInt(e.Offset, 10) + ": " + e.Err.Error()
	switch e.Err {
	case ErrFormat, ErrVersion, ErrLimit, ErrValue:
		s += " (" + strconv.FormatUint(e.Value, 10) + " = 0x" + strconv.FormatUint(e.Value, 16) + ")"
	}
	return s
}

// Unwrap returns the reason, for errors.Is.
func (e *FileError) Unwrap() error { return e.Err }
