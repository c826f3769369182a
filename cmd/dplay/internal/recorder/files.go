package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
)

// An adapter is what packets were seen at.
type adapter struct {
	name    string
	framing framing
}

// newSection begins a file whose interfaces are the adapters, in order.
func newSection(w io.Writer, adapters []adapter) (*pcapgo.NgWriter, error) {
	opt := pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: "dplay record", OS: runtime.GOOS}}
	out, err := pcapgo.NewNgWriterInterface(w, describe(adapters[0]), opt)
	if err != nil {
		return nil, err
	}
	for _, a := range adapters[1:] {
		if _, err := out.AddInterface(describe(a)); err != nil {
			return nil, err
		}
	}
	return out, out.Flush()
}

// linkTypes has the link type of the adapters whose packets begin so.
var linkTypes = map[framing]layers.LinkType{ethernet: layers.LinkTypeEthernet, loopback: layers.LinkTypeEthernet, bareIP: layers.LinkTypeRaw}

func describe(a adapter) pcapgo.NgInterface {
	return pcapgo.NgInterface{Name: a.name, LinkType: linkTypes[a.framing], TimestampResolution: 9, SnapLength: wholePacket}
}

// writePacket writes one; it has reached the file when this returns.
func writePacket(out *pcapgo.NgWriter, ci gopacket.CaptureInfo, data []byte) error {
	return cmp.Or(out.WritePacket(ci, data), out.Flush()) // which return the same error of a full disk
}

// files are what a recording is written to: one file, and where that is full others with a number. The first one stays,
// for it has the beginning, without which the rest cannot be read; of the others the oldest goes for a new one.
type files struct {
	name     string
	size     int64 // of one file, in octets
	most     int
	create   func(name string) (*os.File, error)
	adapters []adapter
	list     []string // those that are there
	number   int      // of the last one
	file     *os.File
	octets   int64 // in it
	deleted  int
	section  *pcapgo.NgWriter
}

// Write counts what goes into a file.
func (f *files) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	f.octets += int64(n)
	return n, err
}

// named returns the name of a file of the recording: game.pcapng, game-2.pcapng, ...
func (f *files) named(number int) string {
	if number == 1 {
		return f.name
	}
	ext := filepath.Ext(f.name)
	return strings.TrimSuffix(f.name, ext) + "-" + strconv.Itoa(number) + ext
}

// next begins the next file. A name that another file has already is passed over, but for the first one's.
func (f *files) next() error {
	const tries = 1000
	if err := f.close(); err != nil {
		return err
	}
	for range tries {
		f.number++
		name := f.named(f.number)
		file, err := f.create(name)
		if errors.Is(err, fs.ErrExist) && f.number > 1 {
			continue
		}
		if err != nil {
			return err
		}
		giveToUser(file)
		f.file, f.octets = file, 0
		f.list = append(f.list, name)
		if f.section, err = newSection(f, f.adapters); err != nil {
			return err
		}
		return f.forget()
	}
	return fmt.Errorf("%s and %d names after it are taken", f.name, tries)
}

// forget deletes the oldest file but the first if there are too many.
func (f *files) forget() error {
	if len(f.list) <= f.most {
		return nil
	}
	oldest := min(1, len(f.list)-2)
	if err := os.Remove(f.list[oldest]); err != nil {
		return err
	}
	f.list = slices.Delete(f.list, oldest, oldest+1)
	f.deleted++
	return nil
}

// add takes in a further adapter.
func (f *files) add(a adapter) error {
	f.adapters = append(f.adapters, a)
	_, err := f.section.AddInterface(describe(a))
	return err
}

// packet writes one, into the next file if this one is full.
func (f *files) packet(ci gopacket.CaptureInfo, data []byte) error {
	const header = 32 // of a packet in a file
	if f.octets+int64(len(data))+header > f.size {
		if err := f.next(); err != nil {
			return err
		}
	}
	return writePacket(f.section, ci, data)
}

func (f *files) close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}

// giveToUser makes a file that root has made by sudo one of the user who typed that.
func giveToUser(f *os.File) {
	uid, errUser := strconv.Atoi(os.Getenv("SUDO_UID"))
	gid, errGroup := strconv.Atoi(os.Getenv("SUDO_GID"))
	if os.Geteuid() == 0 && errors.Join(errUser, errGroup) == nil {
		f.Chown(uid, gid) //nolint:errcheck // then it stays root's, who can still give it away
	}
}
