package play

import (
	"io"
	"sync"
	"time"
)

// unreadPatience is how long nobody may read our output before the user is told that everything waits for that.
const unreadPatience = 5 * time.Second

// An unread is an output that tells once when nobody reads it. A program that never does would hold up the session, and lose it
// in the end, without a word.
type unread struct {
	to   io.Writer
	tell func()
}

// newUnread tells on an output by calling a function, from another goroutine.
func newUnread(to io.Writer, tell func()) *unread { return &unread{to, sync.OnceFunc(tell)} }

// Write writes.
func (u *unread) Write(b []byte) (int, error) {
	late := time.AfterFunc(unreadPatience, u.tell)
	defer late.Stop()
	return u.to.Write(b)
}
