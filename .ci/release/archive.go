package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A file is one of an archive.
type file struct {
	name string // below the archive's folder
	data []byte
	mode fs.FileMode
}

// pack makes the archive for a platform, and the package for Debian where there is one.
func (r *release) pack(dir string, p platform, program string, shared []file) error {
	b, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	files := append([]file{{"dplay", b, 0o755}}, shared...)
	name := "dplay-" + r.version + "-" + cmp.Or(map[string]string{"darwin": "macos"}[p.system], p.system) + "-" + p.arch
	var octets []byte
	if p.system == "windows" {
		files[0].name = "dplay.exe"
		octets, err = r.zip(name, windowsText(files))
		name += ".zip"
	} else {
		octets, err = r.tarGzip(name, files)
		name += ".tar.gz"
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), octets, 0o644)
	}
	if err == nil && p.system == "linux" {
		err = r.debian(dir, p.arch, files)
	}
	return err
}

// windowsText writes the texts in lines as Windows has them.
func windowsText(files []file) []file {
	files = slices.Clone(files)
	for i, f := range files {
		if path.Ext(f.name) == ".txt" {
			files[i].data = bytes.ReplaceAll(f.data, []byte("\n"), []byte("\r\n"))
		}
	}
	return files
}

// sorted returns files by their names.
func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.name, b.name) })
}

func (r *release) zip(folder string, files []file) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range sorted(files) {
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: r.time}
		h.SetMode(f.mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return out.Bytes(), err
}

func (r *release) tarGzip(folder string, files []file) ([]byte, error) {
	var out bytes.Buffer
	t := tar.NewWriter(&out)
	for _, f := range sorted(files) {
		h := &tar.Header{Name: folder + "/" + f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: r.time, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return gzipped(out.Bytes())
}

// gzipped compresses without a name and a time.
func gzipped(b []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(b); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}
