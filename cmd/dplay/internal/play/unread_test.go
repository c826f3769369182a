package play

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestUnread: an output that nobody reads is told of, once; what is read in time is not.
func TestUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, in := io.Pipe()
		told := 0
		u := newUnread(in, func() { told++ })
		write := func() {
			_, err := u.Write([]byte("x"))
			require.NoError(t, err)
		}
		read := func(after time.Duration) {
			late := time.NewTimer(after)
			<-late.C
			_, err := out.Read(make([]byte, 1))
			require.NoError(t, err)
			synctest.Wait()
		}
		go write()
		read(unreadPatience - 1)
		assert.Zero(t, told)
		for range 2 {
			go write()
			read(unreadPatience + 1)
			assert.Equal(t, 1, told)
		}
	})
}
