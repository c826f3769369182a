package bridging

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/pelletier/go-toml/v2"

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
	decoder := toml.NewDecoder(bytes.NewReader(asUTF8(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return c.explain(err)
	}
	c.Name, c.Ask, c.ForceRelay = file.Name, file.Ask, file.ForceRelay
	var relays []any
	switch r := file.Relay.(type) {
	case nil:
	case []any:
		relays = r
	default:
		relays = []any{r}
	}
	for _, r := range relays {
		s, ok := r.(string)
		if !ok {
			return fmt.Errorf(`%s: relay is one text or a list of them, such as relay = "203.0.113.5"`, c.Path)
		}
		relay, err := code.ParseRelay(s)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
		c.Relays = append(c.Relays, relay)
	}
	return nil
}

// asUTF8 returns a text in UTF-8 without the mark that editors of Windows set before it. PowerShell 5 writes UTF-16 into what it is
// told to write into by ">".
func asUTF8(text []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	var units []uint16
	for b := text[2:]; len(b) >= 2; b = b[2:] {
		units = append(units, order.Uint16(b))
	}
	return []byte(string(utf16.Decode(units)))
}

// explain returns an error of the library in words for who wrote the file.
func (c *Config) explain(err error) error {
	const takes = `it takes lines such as relay = "203.0.113.5", name = "Ann", ask = true and force-relay = true`
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		row, _ := unknown.Errors[0].Position()
		return fmt.Errorf("%s, line %d: there is no key %q; %s", c.Path, row, strings.Join(unknown.Errors[0].Key(), "."), takes)
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		row, _ := wrong.Position()
		return fmt.Errorf("%s, line %d: that cannot be read; %s", c.Path, row, takes)
	}
	return fmt.Errorf("%s: %s", c.Path, strings.TrimPrefix(err.Error(), "toml: "))
}
