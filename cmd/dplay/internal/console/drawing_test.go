package console

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDrawing: rows break where the window ends, also before a wide character, and are taken away by as many as there are.
func TestDrawing(t *testing.T) {
	for _, c := range []struct {
		written       string
		width, height int
		drawn, erased string
	}{
		{"> ab", 10, 5, "> ab\r\x1b[4C", "\r\x1b[J"},
		{"> ab\x1b[D", 10, 5, "> ab\r\x1b[3C", "\r\x1b[J"},
		{"> ab\x1b[2D", 10, 5, "> ab\r\x1b[2C", "\r\x1b[J"},
		{"> abcd", 6, 5, "> abcd\r\n\r", "\r\x1b[1A\x1b[J"},
		{"> 日本語", 7, 5, "> 日本\r\n語\r\x1b[2C", "\r\x1b[1A\x1b[J"},
		{"> 日本語\x1b[2D", 7, 5, "> 日本\r\n語\r\x1b[1A\x1b[4C", "\r\x1b[J"},
		{"> 日本", 1, 9, ">\r\n \r\n日\r\n本\r\n\r", "\r\x1b[6A\x1b[J"}, // no room for either: the terminal does what it can
		{"> e\u0301e\u0301", 4, 5, "> e\u0301e\u0301\r\n\r", "\r\x1b[1A\x1b[J"},
		{"> 123456789abc", 4, 3, "789a\r\nbc\r\x1b[2C", "\r\x1b[1A\x1b[J"},
		{"> 123456789abc\x1b[12D", 4, 3, "> 12\r\n3456\r\x1b[1A\x1b[2C", "\r\x1b[J"},
	} {
		p := pictureOf([]byte(c.written))
		require.NotNil(t, p, c.written)
		var d drawing
		assert.Equal(t, c.drawn, string(d.draw(nil, p, c.width, c.height)), "%q in %d", c.written, c.width)
		assert.Equal(t, c.erased, string(d.erase(nil, c.width)), "%q in %d", c.written, c.width)
		assert.Empty(t, d.erase(nil, c.width), "it is gone")
	}
	var d drawing
	d.draw(nil, pictureOf([]byte("> "+strings.Repeat("x", 30))), 40, 20)
	assert.Equal(t, "\r\x1b[3A\x1b[J", string(d.erase(nil, 10)), "the window is narrower now, and broke the row")
	d.draw(nil, pictureOf([]byte("> 123456\x1b[6D")), 4, 20)
	assert.Equal(t, "\x1b[2B\r\n", string(d.leave(nil)))
	for _, other := range []string{"", "x", "\x1b[3D\x1b[K", "> a\r\n", "> a\x1b[K"} {
		assert.Nil(t, pictureOf([]byte(other)), "%q", other)
	}
}
