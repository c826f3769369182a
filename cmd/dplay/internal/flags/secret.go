package flags

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
)

// A Secret is the one line of a file, which a flag names: command lines can be seen by all users of a machine.
type Secret struct {
	text *string // where the line goes
	file string
	tell func(note string) // is called if everybody can read the file
}

// String returns the name of the file.
func (s *Secret) String() string { return s.file }

// Set reads the file.
func (s *Secret) Set(name string) error {
	f, err := os.Open(name)
	if strings.ContainsRune(name, 0) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return reason(err)
	}
	defer f.Close()
	text, err := cli.ReadSecret(f)
	text = strings.TrimPrefix(text, "\ufeff") // which editors of Windows set before it
	switch {
	case err != nil:
		return reason(err)
	case text == "":
		return errors.New("the file is empty")
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return errors.New("the file is no text in UTF-8")
	}
	*s.text, s.file = text, name
	if info, err := f.Stat(); err == nil {
		if note := cli.OpenToAll(name, info); note != "" {
			s.tell(note)
		}
	}
	return nil
}

// reason returns an error of the system without the name of the file, which the flag has.
func reason(err error) error {
	var system *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file")
	case !errors.As(err, &system):
		return err
	}
	return system.Err
}

// Type returns what help shows for the value.
func (s *Secret) Type() string { return "FILE" }

// Given reports whether the flag was given.
func (s *Secret) Given() bool { return s.file != "" }

// noteOf returns a function that tells notes about a flag.
func noteOf(cmd *cobra.Command, flag string) func(string) {
	return func(note string) { cli.Streams{Err: cmd.ErrOrStderr()}.Tell("--" + flag + ": " + note) }
}

// A Code is the code of a bridged session that stands in a file.
type Code struct {
	Secret
	line string
}

func (c *Code) prepare(cmd *cobra.Command, name string, _ reflect.StructTag) {
	c.text, c.tell = &c.line, noteOf(cmd, name)
}

// Args returns the arguments of a command that takes a code: those of the command line, or the code in the file.
func (c *Code) Args(args []string) ([]string, error) {
	switch {
	case !c.Given():
		return args, nil
	case len(args) > 0:
		return nil, errors.New("--code-file has the CODE already: " + Quoted(strings.Join(args, " ")) + " does not go with it")
	}
	return []string{c.line}, nil
}
