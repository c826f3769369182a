package show

import "time"

// A clock writes times in UTC by RFC 3339, with all nine decimals: equal widths sort as text. Neighbours share most of
// their text, so that of the last second is kept.
type clock struct {
	second int64  // since 1970
	text   []byte // up to that second; empty: none was written yet
}

// append appends a time.
func (c *clock) append(b []byte, t time.Time) []byte {
	if s := t.Unix(); len(c.text) == 0 || s != c.second {
		c.second, c.text = s, t.UTC().AppendFormat(c.text[:0], "2006-01-02T15:04:05.")
	}
	b = append(b, c.text...)
	b = append(b, "000000000Z"...)
	for i, ns := len(b)-2, t.Nanosecond(); ns > 0; i, ns = i-1, ns/10 {
		b[i] = byte('0' + ns%10)
	}
	return b
}
