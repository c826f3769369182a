package main

import (
	"embed"
	"os"
	"path"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/files"
)

//go:embed relay
var relayFiles embed.FS

// service adds what has systemd run a relay, for who wants one: it is off.
func (r *release) service(work string, to *nfpm.Overridables) error {
	put := func(name string) (string, error) {
		b, err := relayFiles.ReadFile(path.Join("relay", name))
		if err != nil {
			return "", err
		}
		from := filepath.Join(work, name)
		return from, os.WriteFile(from, b, 0o644)
	}
	for _, f := range []struct{ name, to, kind string }{
		{"dplay-relay.service", "/usr/lib/systemd/system/dplay-relay.service", ""},
		{"dplay-relay.default", "/etc/default/dplay-relay", files.TypeConfigNoReplace},
	} {
		from, err := put(f.name)
		if err != nil {
			return err
		}
		to.Contents = append(to.Contents, &files.Content{Source: from, Destination: f.to, Type: f.kind,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: 0o644, MTime: r.time}})
	}
	for name, at := range map[string]*string{"postinst": &to.Scripts.PostInstall,
		"prerm": &to.Scripts.PreRemove, "postrm": &to.Scripts.PostRemove} {
		var err error
		if *at, err = put(name); err != nil {
			return err
		}
	}
	return nil
}
