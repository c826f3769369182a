package captures_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
)

// TestPrintable holds what is replaced: what moves a cursor, turns writing around, or may not stand in a document.
func TestPrintable(t *testing.T) {
	assert.Equal(t, "a�b�c�d�e", captures.Printable("a\x1bb\nc\td\u202ee"))
	assert.Equal(t, "����", captures.Printable("\u2028\ufffe\uffff\xff"))
	assert.Equal(t, "Jürgen\u3000日本 🙂", captures.Printable("Jürgen\u3000日本 🙂"))
}
