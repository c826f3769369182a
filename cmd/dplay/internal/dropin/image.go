package dropin

import (
	"bytes"
	"cmp"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"dplay4/wire"
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

// Examine looks at a file. One that cannot be read is of the kind Other.
func Examine(name string) (Image, error) {
	f, err := os.Open(name)
	if err != nil {
		return Image{Kind: Other}, err
	}
	defer f.Close()
	return examine(f)
}

// archs are the architectures of games, and bits their sizes for people.
var (
	archs = map[uint16]string{pe.IMAGE_FILE_MACHINE_I386: "386", pe.IMAGE_FILE_MACHINE_AMD64: "amd64"}
	bits  = map[string]string{"386": "32", "amd64": "64"}
)

func examine(f io.ReaderAt) (Image, error) {
	image, err := pe.NewFile(f)
	if err != nil {
		return Image{Kind: Other}, errors.New("is no program or DLL of Windows")
	}
	i := Image{Kind: Other, Arch: cmp.Or(archs[image.Machine], fmt.Sprintf("machine %#x", image.Machine))}
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
	for _, m := range makers {
		if i.Kind == Other && versionText(resources, m.name) == m.text {
			i.Kind = m.kind
		}
	}
	return i, nil
}

// makers are texts of versions that tell the kind of a file.
var makers = []struct {
	name, text string
	kind       Kind
}{
	{"ProductName", product, Ours},
	{"OriginalFilename", "wcodstub.dll", Stub},
	{"CompanyName", "Microsoft Corporation", Microsoft},
}

// versionText returns a text of the version in a program's resources: its name in UTF-16, padded to four octets, and then the
// text, of which at most 256 units are read.
func versionText(resources []byte, name string) string {
	_, text, _ := bytes.Cut(resources, wire.NewText(name))
	padding := (len(text) - len(resources)) & 3
	text = text[min(padding, len(text)):]
	return wire.Text(text[:min(512, len(text))]).As(wire.OnlyUTF16)
}

// described says what a file is: "Wine's own, 32 bits", "dplay's v0.13.0, 64 bits".
func (i Image) described() string {
	text := i.Kind.Text()
	if i.Version != "" && i.Kind != Wine {
		text += " " + i.Version
	}
	if n, ok := bits[i.Arch]; ok {
		text += ", " + n + " bits"
	}
	return text
}

// A Source is where our DLLs are taken from.
type Source struct{ Folder string }

// sources are the folders, beside this program, in which our DLLs are looked for: of an archive, of a package, of "make dll".
var sources = []string{"dll", filepath.Join("..", "lib", "dplay"), "build"}

// FindSource returns the folder that holds our DLLs; from, if it is not "", names it.
func FindSource(from string) (Source, error) {
	if from != "" {
		s := Source{from}
		_, _, err := s.file("386")
		return s, err
	}
	program, _ := os.Executable()
	program, _ = filepath.EvalSymlinks(program)
	for _, folder := range sources {
		s := Source{filepath.Join(filepath.Dir(program), folder)}
		if _, _, err := s.file("386"); program != "" && err == nil {
			return s, nil
		}
	}
	return Source{}, errors.New("our DLLs are not beside this program, where the archive of a release has them (folder dll): " +
		"name their folder by --from DIR; it holds windows-386 and windows-amd64")
}

// file returns the name of our DLL for an architecture, after a look at it. Under its other name it is the same file.
func (s Source) file(arch string) (path string, image Image, err error) {
	path = filepath.Join(s.Folder, "windows-"+arch, Names[0])
	switch image, err = Examine(path); {
	case gone(err):
		err = fmt.Errorf("there is no %s", path)
	case err != nil:
		err = fmt.Errorf("%s: %w", path, err)
	case image.Kind != Ours:
		err = fmt.Errorf("%s is not of this project: %s", path, image.described())
	case image.Arch != arch:
		err = fmt.Errorf("%s is %s, not what the folder says", path, image.described())
	}
	return path, image, err
}
