package local

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestPace: a machine that says a thousand times a second that its game is host, and that it is not, does not have all cores look.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &Local{pace: newPace()}
		n := &neighbour{l: l}
		looks := 0
		for i := range 1000 {
			<-time.After(time.Millisecond)
			n.setHosts(i%2 == 0)
			select {
			case <-l.pace.woken:
				looks++
			default:
			}
		}
		assert.Equal(t, int(time.Second/wakeGap), looks)
	})
}

// TestCutsTold: a machine that has thousands of connections cut does not keep the program from seeing anything else.
func TestCutsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		n := &neighbour{l: &Local{opt: Options{Report: func(Event) { told++ }}}}
		for range 3 {
			for range 1000 {
				n.cut(errors.New("x"))
			}
			<-time.After(dropEvery)
		}
		assert.Equal(t, 3*cutsMost, told)
	})
}
