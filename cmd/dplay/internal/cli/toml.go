package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// DecodeTOML decodes the text of a user's file into a struct, and refuses other keys than the struct has. Its errors begin with the name
// of the file and the line. keys describes the keys for an error about an unknown one; wrong describes a wrong value.
func DecodeTOML(name string, text []byte, into any, keys string, wrong func(*toml.DecodeError) string) error {
	decoder := toml.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		first := &unknown.Errors[0]
		row, _ := first.Position()
		return fmt.Errorf("%s, line %d: there is no key %q; %s", name, row, strings.Join(first.Key(), "."), keys)
	}
	var value *toml.DecodeError
	if errors.As(err, &value) {
		row, _ := value.Position()
		return fmt.Errorf("%s, line %d%s", name, row, wrong(value))
	}
	if err != nil {
		return fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "toml: "))
	}
	return nil
}
