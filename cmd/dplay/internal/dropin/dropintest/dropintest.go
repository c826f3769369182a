// Package dropintest makes up what the drop-in DLLs are tried with: files of Windows, releases of ours, Wine prefixes.
package dropintest

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"dplay4/wire"
)

// An Image says what a made-up DLL or program is.
type Image struct {
	Arch      string
	Wine      bool
	Resources map[string]string
}

// Ours returns a DLL of this project.
func Ours(arch, version string) Image {
	return Image{Arch: arch, Resources: map[string]string{"ProductName": "dplay4", "FileVersion": version}}
}

// Files of others, for 32 bits.
var (
	Wine      = Image{Arch: "386", Wine: true, Resources: map[string]string{"FileVersion": "5.3.1.904", "CompanyName": "Microsoft Corporation"}}
	Microsoft = Image{Arch: "386", Resources: map[string]string{"CompanyName": "Microsoft Corporation", "FileVersion": "5.3.2600"}}
	Stub      = Image{Arch: "386", Resources: map[string]string{"CompanyName": "Microsoft Corporation", "OriginalFilename": "wcodstub.dll"}}
	Game      = Image{Arch: "386"}
)

// Octets returns a file of Windows that has no code: headers, and a section of resources.
func (i Image) Octets() []byte {
	var rsrc []byte
	for _, name := range []string{"CompanyName", "FileVersion", "OriginalFilename", "ProductName"} {
		value, ok := i.Resources[name]
		if !ok {
			continue
		}
		for len(rsrc)%4 != 2 { // as behind the three numbers that begin a text of a version
			rsrc = append(rsrc, 0)
		}
		for _, s := range []string{name, value} {
			rsrc = append(rsrc, wire.NewText(s)...)
			for len(rsrc)%4 != 0 {
				rsrc = append(rsrc, 0)
			}
		}
	}
	b := make([]byte, 0x80)
	copy(b, "MZ")
	b[0x3c] = 0x80
	if i.Wine {
		copy(b[0x40:], "Wine builtin DLL")
	}
	machine := uint16(0x14c)
	if i.Arch == "amd64" {
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

// Put writes a file, and the folders that it is in.
func Put(t *testing.T, b []byte, parts ...string) string {
	t.Helper()
	name := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// Release makes a folder with our DLLs.
func Release(t *testing.T, version string) string {
	t.Helper()
	folder := t.TempDir()
	for _, arch := range []string{"386", "amd64"} {
		Put(t, Ours(arch, version).Octets(), folder, "windows-"+arch, "dplayx.dll")
	}
	return folder
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

// Prefix makes a Wine prefix, of 64 bits as the registry says.
func Prefix(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	Put(t, []byte(userRegistry), folder, "user.reg")
	Put(t, []byte("WINE REGISTRY Version 2\n;; All keys\n\n#arch=win64\n"), folder, "system.reg")
	Put(t, Wine.Octets(), folder, "drive_c", "windows", "syswow64", "dplayx.dll")
	Put(t, Wine.Octets(), folder, "drive_c", "windows", "syswow64", "dplay.dll")
	Put(t, Image{Arch: "amd64", Wine: true}.Octets(), folder, "drive_c", "windows", "system32", "dplayx.dll")
	return folder
}
