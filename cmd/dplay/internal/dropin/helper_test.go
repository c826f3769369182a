package dropin

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// An imageOf says what a made-up DLL or program is.
type imageOf struct {
	arch      string
	wine      bool
	resources map[string]string
}

// ours returns a DLL of this project.
func ours(arch, version string) imageOf {
	return imageOf{arch: arch, resources: map[string]string{"ProductName": product, "FileVersion": version}}
}

var (
	wineImage      = imageOf{arch: "386", wine: true, resources: map[string]string{"FileVersion": "5.3.1.904", "CompanyName": "Microsoft Corporation"}}
	microsoftImage = imageOf{arch: "386", resources: map[string]string{"CompanyName": "Microsoft Corporation", "FileVersion": "5.3.2600"}}
	stubImage      = imageOf{arch: "386", resources: map[string]string{"CompanyName": "Microsoft Corporation", "OriginalFilename": "wcodstub.dll"}}
	gameImage      = imageOf{arch: "386"}
)

// octets returns a file of Windows that has no code: headers, and a section of resources.
func (i imageOf) octets() []byte {
	var rsrc []byte
	for _, name := range []string{"CompanyName", "FileVersion", "OriginalFilename", "ProductName"} {
		value, ok := i.resources[name]
		if !ok {
			continue
		}
		for len(rsrc)%4 != 2 { // as behind the three numbers that begin a text of a version
			rsrc = append(rsrc, 0)
		}
		for _, s := range []string{name, value} {
			for _, u := range utf16.Encode([]rune(s + "\x00")) {
				rsrc = binary.LittleEndian.AppendUint16(rsrc, u)
			}
			for len(rsrc)%4 != 0 {
				rsrc = append(rsrc, 0)
			}
		}
	}
	b := make([]byte, 0x80)
	copy(b, "MZ")
	b[0x3c] = 0x80
	if i.wine {
		copy(b[0x40:], "Wine builtin DLL")
	}
	machine := uint16(0x14c)
	if i.arch == "amd64" {
		machine = 0x8664
	}
	b = append(b, "PE\x00\x00"...)
	b = binary.LittleEndian.AppendUint16(b, machine)
	b = binary.LittleEndian.AppendUint16(b, 1) // sections
	b = append(b, make([]byte, 16)...)         // and no optional header
	section := make([]byte, 40)
	copy(section, ".rsrc")
	binary.LittleEndian.PutUint32(section[8:], uint32(len(rsrc)))
	binary.LittleEndian.PutUint32(section[16:], uint32(len(rsrc)))
	binary.LittleEndian.PutUint32(section[20:], uint32(len(b)+40))
	return append(append(b, section...), rsrc...)
}

// put writes a file, and the folders that it is in.
func put(t *testing.T, b []byte, parts ...string) string {
	t.Helper()
	name := filepath.Join(parts...)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, b, 0o644))
	return name
}

// release makes a folder with our DLLs.
func release(t *testing.T, version string) Source {
	t.Helper()
	folder := t.TempDir()
	for _, arch := range []string{"386", "amd64"} {
		for _, name := range Names {
			put(t, ours(arch, version).octets(), folder, "windows-"+arch, name)
		}
	}
	return Source{folder}
}

// userRegistry is a user.reg of Wine, with what is not to be touched.
const userRegistry = `WINE REGISTRY Version 2
;; All keys relative to REGISTRY\\User\\S-1-5-21-0-0-0-1000

#arch=win64

[Control Panel\\Desktop] 1700000000
#time=1da1c0ffee00000
"Wallpaper"=str(2):"C:\\x"

[software\\wine\\dlloverrides] 1700000001
#time=1da1c0ffee00001
"*d3d9"="native"
"DPLAYX"="builtin"

[Software\\Wine\\AppDefaults\\Editor.exe\\DllOverrides] 1700000002
"dplayx"=""
`

// prefix makes a Wine prefix, of 64 bits as the registry says.
func prefix(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	put(t, []byte(userRegistry), folder, "user.reg")
	put(t, []byte("WINE REGISTRY Version 2\n;; All keys\n\n#arch=win64\n"), folder, "system.reg")
	put(t, wineImage.octets(), folder, "drive_c", "windows", "syswow64", "dplayx.dll")
	put(t, wineImage.octets(), folder, "drive_c", "windows", "syswow64", "dplay.dll")
	put(t, imageOf{arch: "amd64", wine: true}.octets(), folder, "drive_c", "windows", "system32", "dplayx.dll")
	return folder
}

// tree returns all files below a folder with what is in them.
func tree(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		files[strings.TrimPrefix(filepath.ToSlash(name), filepath.ToSlash(folder)+"/")] = string(b)
		return err
	}))
	return files
}

// whats returns what was done, without the details.
func whats(steps []Step) (list []string) {
	for _, s := range steps {
		list = append(list, s.What+" "+s.Name)
	}
	return list
}
