package captures_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
	"dplay4/internal/testkit"
)

// TestPrintable holds what is replaced: what moves a cursor, turns writing around, or may not stand in a document.
func TestPrintable(t *testing.T) {
	assert.Equal(t, "a�b�c�d�e", captures.Printable("a\x1bb\nc\td\u202ee"))
	assert.Equal(t, "����", captures.Printable("\u2028\ufffe\uffff\xff"))
	assert.Equal(t, "Jürgen\u3000日本 🙂", captures.Printable("Jürgen\u3000日本 🙂"))
}

// TestShown bounds what a name takes on a screen.
func TestShown(t *testing.T) {
	assert.Equal(t, strings.Repeat("ä", 64), captures.Shown(strings.Repeat("ä", 64)))
	assert.Equal(t, strings.Repeat("\ufffd", 64)+"... (65 letters)", captures.Shown(strings.Repeat("\x1b", 65)))
	text, more := captures.Cut("日本語", 2)
	assert.Equal(t, []string{"日本", "... (3 letters)"}, []string{text, more})
	text, more = captures.Cut("日本語", 3)
	assert.Equal(t, []string{"日本語", ""}, []string{text, more})
}

// The number in the table of SECURITY.md is that of the code.
func TestBudget(t *testing.T) {
	table := testkit.Table(t, "../SECURITY.md", "resource")
	assert.Equal(t, strconv.Itoa(captures.ShownName)+" letters", table["a name on a screen"][0])
}
