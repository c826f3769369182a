package flags

import "strconv"

// A Bool is true or false, and remembers whether it was given.
type Bool struct{ Value, Given bool }

// String returns the value.
func (b *Bool) String() string { return strconv.FormatBool(b.Value) }

// Set takes a value.
func (b *Bool) Set(s string) (err error) {
	b.Value, err = strconv.ParseBool(s)
	b.Given = true
	return err
}

// Type returns the type of flags that need no value.
func (b *Bool) Type() string { return "bool" }

// IsBoolFlag has package pflag take it for one.
func (b *Bool) IsBoolFlag() bool { return true }
