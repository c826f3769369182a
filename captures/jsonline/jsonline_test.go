package jsonline_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures/jsonline"
)

// TestEscapes writes every code point in every way: none that is not graphic stands in JSON as it is, and all come back.
func TestEscapes(t *testing.T) {
	const together = 1 << 12
	for first := rune(0); first <= unicode.MaxRune; first += together {
		var all strings.Builder
		for r := first; r < first+together; r++ {
			if utf8.ValidRune(r) {
				all.WriteRune(r)
			}
		}
		name := all.String()
		line, err := jsonline.Append([]byte("before "), struct{ Name string }{name})
		require.NoError(t, err)
		text, found := bytes.CutPrefix(line, []byte("before "))
		require.True(t, found)
		text, found = bytes.CutSuffix(text, []byte("\n"))
		require.True(t, found)
		var object struct{ Name string }
		require.NoError(t, json.Unmarshal(text, &object))
		require.Equal(t, name, object.Name)
		checkGraphic(t, text)
		text = jsonline.AppendString(nil, name)
		var back string
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, name, back)
		checkGraphic(t, text)
	}
}

// checkGraphic checks that a text has only characters that can be seen, and spaces.
func checkGraphic(t *testing.T, text []byte) {
	t.Helper()
	require.True(t, utf8.Valid(text))
	for _, r := range string(text) {
		if !unicode.IsGraphic(r) {
			t.Fatalf("U+%04X stands in JSON as it is", r)
		}
	}
}

// TestPlain holds the form: what needs no escape has none, and octets that are not UTF-8 are replaced.
func TestPlain(t *testing.T) {
	line, err := jsonline.Append(nil, struct {
		A string `json:"a"`
		B int    `json:"b"`
	}{"<Jürgen & 日本 🙂>", 1})
	require.NoError(t, err)
	assert.Equal(t, "{\"a\":\"<Jürgen & 日本 🙂>\",\"b\":1}\n", string(line))
	assert.Equal(t, `"\u009b31m \ud83e\udfffö"`, string(jsonline.AppendString(nil, "\u009b31m \U0001fbffö")))
	assert.Equal(t, `"a�b"`, string(jsonline.AppendString(nil, "a\xffb")))
	line, err = jsonline.Append([]byte("before"), math.NaN())
	assert.Error(t, err)
	assert.Equal(t, "before", string(line))
}
