package play

import (
	"io"
	"sync"
	"time"
)

// unreadPatience is how long a write may block before the user is told.
const unreadPatience = 5 * time.Second

// An unread is an output that reports once when nobody reads it. A program that does not read our output blocks the session, which
// is lost in the end.
type unread struct {
	to   io.Writer
	tell func()
}

// newUnread returns an output that calls tell from another goroutine.
func newUnread(to io.Writer, tell func()) *unread { return &unread{to, sync.OnceFunc(tell)} }

// Write writes.
func (u *unread) Write(b []byte) (int, error) {
	late := time.AfterFunc(unreadPatience, u.tell)
	defer late.Stop()
	return u.to.Write(b)
}
