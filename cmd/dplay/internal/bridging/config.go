package bridging

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/bridge/code"
)

// A Config is what a user wrote into bridge.toml.
type Config struct {
	Path       string // "": no configuration folder is known
	Relays     []code.Relay
	Name       string
	Ask        bool
	ForceRelay bool
}

// maxConfig bounds the file, in octets.
const maxConfig = 64 << 10

// ReadConfig reads the user's file: dplay4/bridge.toml in the configuration folder. One that is not there says nothing.
func ReadConfig() (*Config, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return &Config{}, nil // as for a service
	}
	c := &Config{Path: filepath.Join(folder, "dplay4", "bridge.toml")}
	info, err := os.Stat(c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
	case err != nil:
		return c, err
	case !info.Mode().IsRegular() || info.Size() > maxConfig:
		return c, fmt.Errorf("%s: it is no file, or has more than %d octets", c.Path, maxConfig)
	}
	text, err := os.ReadFile(c.Path)
	if err != nil {
		return c, err
	}
	return c, c.parse(text)
}

// parse takes in the text of the file.
func (c *Config) parse(text []byte) error {
	var file struct {
		Relay      any    `toml:"relay"`
		Name       string `toml:"name"`
		Ask        bool   `toml:"ask"`
		ForceRelay bool   `toml:"force-relay"`
	}
	const keys = `it takes lines such as relay = "203.0.113.5", name = "Ann", ask = true and force-relay = true`
	if err := cli.DecodeTOML(c.Path, cli.Unmarked(text), &file, keys, func(*toml.DecodeError) string { return ": that cannot be read; " + keys }); err != nil {
		return err
	}
	c.Name, c.Ask, c.ForceRelay = file.Name, file.Ask, file.ForceRelay
	relays, isList := file.Relay.([]any)
	if !isList && file.Relay != nil {
		relays = []any{file.Relay}
	}
	var texts []string
	for _, r := range relays {
		text, ok := r.(string)
		if !ok {
			return fmt.Errorf(`%s: relay is one text or a list of them, such as relay = "203.0.113.5"`, c.Path)
		}
		texts = append(texts, text)
	}
	var err error
	c.Relays, err = parseRelays(c.Path, texts)
	return err
}

// parseRelays parses relays, and leaves out repeated ones. An error begins with where the relays stand.
func parseRelays(where string, texts []string) (list []code.Relay, err error) {
	for _, text := range texts {
		r, err := code.ParseRelay(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list, nil
}
