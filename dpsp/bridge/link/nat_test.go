package link

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// echo has one side of a link send back what comes on streams.
func echo(t *testing.T, l Link) {
	t.Helper()
	go func() {
		for {
			s, err := l.AcceptStream(t.Context())
			if err != nil {
				return
			}
			go func() {
				io.Copy(s, s)  //nolint:errcheck
				s.CloseWrite() //nolint:errcheck
			}()
		}
	}()
}

// echoes checks that octets come back.
func echoes(t *testing.T, l Link) {
	t.Helper()
	s, err := l.OpenStream(within(t))
	require.NoError(t, err)
	_, err = s.Write([]byte("hello"))
	require.NoError(t, err)
	require.NoError(t, s.CloseWrite())
	b, err := io.ReadAll(s)
	require.NoError(t, err)
	require.Equal(t, "hello", string(b))
}

// TestNATs links machines behind routers of every two kinds: within 3 s, and directly where theory allows.
func TestNATs(t *testing.T) {
	t.Parallel()
	kinds := []nat{noNAT, fullCone, restricted, symmetric, blocked}
	for i, a := range kinds {
		for _, b := range kinds[i:] {
			t.Run(string(a)+" and "+string(b), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { testNATs(t, a, b) })
			})
		}
	}
}

func testNATs(t *testing.T, a, b nat) {
	n := newInternet(t)
	r := n.relay(1)
	na, nb := n.home(a).host(), n.home(b).host()
	n.start()
	r.begin()
	began := time.Now()
	ma, mb := mesh(t, Config{Code: codeOf(r), Net: na}), mesh(t, Config{Code: codeOf(r), Net: nb})
	ab, ba := pair(t, ma, mb)
	echo(t, ba)
	echoes(t, ab)
	took := time.Since(began)
	assert.Less(t, took, 3*time.Second)
	t.Logf("linked after %v over %+v", took, ab.Way())
	theory := a != blocked && b != blocked && !(b == symmetric && (a == restricted || a == symmetric))
	if theory {
		require.Eventually(t, func() bool { return ab.Way().Direct && ba.Way().Direct }, soon, 5*time.Millisecond)
		assert.Less(t, time.Since(began), 3*time.Second)
		t.Logf("direct after %v over %+v", time.Since(began), ab.Way())
	}
	echoes(t, ab)
	synctest.Wait()
	assert.Equal(t, theory, ab.Way().Direct)
}
