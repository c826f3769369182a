package flags

import "fmt"

// Refuse returns an error with the text of format and args if wrong, and nil otherwise. cmp.Or of several is the first error.
func Refuse(wrong bool, format string, args ...any) error {
	if !wrong {
		return nil
	}
	return fmt.Errorf(format, args...)
}
