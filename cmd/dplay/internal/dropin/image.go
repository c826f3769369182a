package dropin

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unicode/utf16"
)

// A Kind says whose a DLL is.
type Kind string

// The kinds.
const (
	Ours      Kind = "ours"
	Microsoft Kind = "microsoft"
	Stub      Kind = "stub" // of Windows without its optional feature: it asks to install that
	Wine      Kind = "wine" // Wine's own, or the file that stands for it
	Other     Kind = "other"
	None      Kind = "none"
)

// Text says it to people.
func (k Kind) Text() string {
	return map[Kind]string{Ours: "dplay's", Microsoft: "Microsoft's", Stub: "the stub of Windows, which is no DirectPlay",
		Wine: "Wine's own", Other: "unknown", None: "none"}[k]
}

// An Image is a DLL or program.
type Image struct {
	Kind    Kind
	Arch    string // 386, amd64, or what else it is
	Version string // as its resources say; "" if they do not
}

// product is the ProductName in the resources of our DLLs.
const product = "dplay4"

// maxImage bounds the files that are read, in octets.
const maxImage = 64 << 20

// Examine looks at a file.
func Examine(name string) (Image, error) {
	f, err := os.Open(name)
	if err != nil {
		return Image{}, err
	}
	defer f.Close()
	return examine(f)
}

func examine(f io.ReaderAt) (Image, error) {
	image, err := pe.NewFile(f)
	if err != nil {
		return Image{}, errors.New("is no program or DLL of Windows")
	}
	i := Image{Kind: Other}
	switch image.Machine {
	case pe.IMAGE_FILE_MACHINE_I386:
		i.Arch = "386"
	case pe.IMAGE_FILE_MACHINE_AMD64:
		i.Arch = "amd64"
	default:
		i.Arch = fmt.Sprintf("machine %#x", image.Machine)
	}
	stub := make([]byte, 32) // where programs of Windows say that they do not run in DOS
	if _, err := f.ReadAt(stub, 0x40); err == nil &&
		(bytes.HasPrefix(stub, []byte("Wine builtin DLL")) || bytes.HasPrefix(stub, []byte("Wine placeholder DLL"))) {
		i.Kind = Wine
	}
	section := image.Section(".rsrc")
	if section == nil || section.Size > maxImage {
		return i, nil
	}
	resources, err := section.Data()
	if err != nil {
		return i, nil //nolint:nilerr // what cannot be read says nothing
	}
	i.Version = versionText(resources, "FileVersion")
	switch {
	case i.Kind == Wine:
	case versionText(resources, "ProductName") == product:
		i.Kind = Ours
	case versionText(resources, "OriginalFilename") == "wcodstub.dll":
		i.Kind = Stub
	case versionText(resources, "CompanyName") == "Microsoft Corporation":
		i.Kind = Microsoft
	}
	return i, nil
}

// versionText returns a text of the version in a program's resources: its name in UTF-16, padded to four octets, and then the
// text.
func versionText(resources []byte, name string) string {
	var key []byte
	for _, u := range utf16.Encode([]rune(name + "\x00")) {
		key = binary.LittleEndian.AppendUint16(key, u)
	}
	at := bytes.Index(resources, key)
	if at < 0 {
		return ""
	}
	at += len(key)
	at += -at & 3
	var units []uint16
	for ; at+1 < len(resources) && len(units) < 256; at += 2 {
		u := binary.LittleEndian.Uint16(resources[at:])
		if u == 0 {
			break
		}
		units = append(units, u)
	}
	return string(utf16.Decode(units))
}

// described says what a file is: "Wine's own, 32 bits", "dplay's v0.13.0, 64 bits".
func (i Image) described() string {
	text := i.Kind.Text()
	if i.Version != "" && i.Kind != Wine {
		text += " " + i.Version
	}
	switch i.Arch {
	case "386":
		text += ", 32 bits"
	case "amd64":
		text += ", 64 bits"
	}
	return text
}

// bits returns a number of bits for people.
func bits(arch string) string {
	if arch == "amd64" {
		return "64-bit"
	}
	return "32-bit"
}

// A Source is where our DLLs are taken from.
type Source struct{ Folder string }

// sources are the folders, beside this program, in which our DLLs are looked for: of an archive, of a package, of "make dll".
var sources = []string{"dll", filepath.Join("..", "lib", "dplay"), "build"}

// FindSource returns the folder that holds our DLLs; from, if it is not "", names it.
func FindSource(from string) (Source, error) {
	if from != "" {
		s := Source{from}
		if _, err := s.file("386"); err != nil {
			return s, err
		}
		return s, nil
	}
	program, err := os.Executable()
	if err == nil {
		if program, err = filepath.EvalSymlinks(program); err == nil {
			for _, folder := range sources {
				s := Source{filepath.Join(filepath.Dir(program), folder)}
				if _, err := s.file("386"); err == nil {
					return s, nil
				}
			}
		}
	}
	return Source{}, errors.New("our DLLs are not beside this program, where the archive of a release has them (folder dll): " +
		"name their folder by --from DIR; it holds windows-386 and windows-amd64")
}

// file returns the name of our DLL for an architecture, after a look at it. Under its other name it is the same file.
func (s Source) file(arch string) (string, error) {
	path := filepath.Join(s.Folder, "windows-"+arch, Names[0])
	image, err := Examine(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("there is no %s", path)
	case err != nil:
		return "", fmt.Errorf("%s: %w", path, err)
	case image.Kind != Ours:
		return "", fmt.Errorf("%s is not of this project: %s", path, image.described())
	case image.Arch != arch:
		return "", fmt.Errorf("%s is %s, not what the folder says", path, image.described())
	}
	return path, nil
}
