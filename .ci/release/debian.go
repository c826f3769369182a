package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // it registers itself
	"github.com/goreleaser/nfpm/v2/files"
)

// The package's description: what is said in a line, then the rest.
const description = `tools for games with DirectPlay 4
 dplay finds, hosts and joins sessions of games that use DirectPlay 4, says why
 nobody can join, and decodes and draws packet captures of them.`

// debian makes the package for an architecture.
func (r *release) debian(dir, arch string, shared []file) error {
	work, err := os.MkdirTemp("", "dplay-deb-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	contents, err := r.installed(work, shared)
	if err != nil {
		return err
	}
	carried := nfpm.Overridables{Contents: contents, Umask: 0o022, Deb: nfpm.Deb{Compression: "xz"}}
	if err := r.service(work, &carried); err != nil {
		return err
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "dplay4", Arch: arch, Platform: "linux", Version: r.version, Section: "games", Priority: "optional",
		Maintainer: "the dplay4 authors", Description: description, License: "MIT", MTime: r.time,
		Overridables: carried,
	})
	packager, err := nfpm.Get("deb")
	if err != nil {
		return err
	}
	if err := nfpm.PrepareForPackager(info, "deb"); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := packager.Package(info, &out); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, packager.ConventionalFileName(info)), out.Bytes(), 0o644)
}

// A place is where Debian has files of an archive. Files with names in .gz are compressed there.
type place struct {
	name *regexp.Regexp // of a file in the archive
	to   string
}

var places = []place{
	{regexp.MustCompile(`^(?:captures|examples)/.*`), "/usr/share/doc/dplay4/$0"},
	{regexp.MustCompile(`^dll/(.*)`), "/usr/lib/dplay/$1"},
	{regexp.MustCompile(`^dplay$`), "/usr/bin/dplay"},
	{regexp.MustCompile(`^man/(.*\.(.*))`), "/usr/share/man/man$2/$1.gz"},
	{regexp.MustCompile(`^completions/dplay\.bash$`), "/usr/share/bash-completion/completions/dplay"},
	{regexp.MustCompile(`^completions/_dplay$`), "/usr/share/zsh/vendor-completions/_dplay"},
	{regexp.MustCompile(`^completions/dplay\.fish$`), "/usr/share/fish/vendor_completions.d/dplay.fish"},
	{regexp.MustCompile(`^completions/dplay\.ps1$`), "/usr/share/doc/dplay4/dplay.ps1"}, // PowerShell has no folder for it: with the documents
	{regexp.MustCompile(`^START-HERE\.txt$`), "/usr/share/doc/dplay4/START-HERE.txt"},
	{regexp.MustCompile(`^changelog$`), "/usr/share/doc/dplay4/changelog.gz"},
}

// installed says where Debian has each file, after writing it into a folder for nfpm.
func (r *release) installed(work string, shared []file) (files.Contents, error) {
	var contents files.Contents
	add := func(to string, f file) error {
		from := filepath.Join(work, fmt.Sprint(len(contents)))
		contents = append(contents, &files.Content{Source: from, Destination: to,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: f.mode, MTime: r.time}})
		return os.WriteFile(from, f.data, 0o644)
	}
	changelog, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return nil, err
	}
	copyright := file{mode: 0o644}
	for _, f := range append(sorted(shared), file{"changelog", changelog, 0o644}) {
		if f.name == "LICENSE.txt" || f.name == "THIRD-PARTY.txt" {
			copyright.data = append(append(copyright.data, f.data...), '\n')
			continue
		}
		i := slices.IndexFunc(places, func(p place) bool { return p.name.MatchString(f.name) })
		if i < 0 {
			return nil, fmt.Errorf("where does Debian have %s?", f.name)
		}
		to := places[i].name.ReplaceAllString(f.name, places[i].to)
		if path.Ext(to) == ".gz" {
			if f.data, err = gzipped(f.data); err != nil {
				return nil, err
			}
		}
		if err := add(to, f); err != nil {
			return nil, err
		}
	}
	return contents, add("/usr/share/doc/dplay4/copyright", copyright)
}
