// Package testkit is for tests alone. It has the one deadline of a test binary and the loopback addresses of one test process, so
// that tests wait for events instead of a clock, and share no socket with another process of the machine.
package testkit

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

// began is when the test binary started, which go test's -timeout counts from.
var began = time.Now()

// Deadline returns the time at which every wait of this test binary gives up. It lies a twentieth before the end that the -timeout
// of go test sets, so that the test that waits in vain is named before go test ends the binary. Without a -timeout (0, and in
// benchmarks) it is the zero time: waits do not give up.
func Deadline() time.Time {
	f := flag.Lookup("test.timeout")
	if f == nil {
		return time.Time{}
	}
	limit := f.Value.(flag.Getter).Get().(time.Duration)
	if limit == 0 {
		return time.Time{}
	}
	return began.Add(limit - limit/20)
}

// Context returns a context that ends at Deadline. Functions that t.Cleanup was given after this call may still use it.
func Context(t testing.TB) context.Context {
	ctx, cancel := untilDeadline()
	t.Cleanup(cancel)
	return ctx
}

func untilDeadline() (context.Context, context.CancelFunc) {
	if d := Deadline(); !d.IsZero() {
		return context.WithDeadline(context.Background(), d)
	}
	return context.WithCancel(context.Background())
}

// Part returns n if DPLAY_LONG is set, as "make long" and "make race-long" do, and else a fourth of it, at least 1. It is for tests that
// draw or explore: how many times.
func Part[N int | uint64 | byte](n N) N {
	if os.Getenv("DPLAY_LONG") != "" {
		return n
	}
	return max(n/4, 1)
}

// poll is the time between two looks of Until.
const poll = 2 * time.Millisecond

// Until returns once holds returns true. It ends the test at Deadline, so the test's own goroutine has to call it. what, a format with its
// arguments, completes the sentence "waited in vain for".
func Until(t testing.TB, holds func() bool, what string, args ...any) {
	t.Helper()
	if !await(holds) {
		t.Fatalf("waited in vain for %s", fmt.Sprintf(what, args...))
	}
}

// await returns true once holds does, and false at Deadline.
func await(holds func() bool) bool {
	ctx, cancel := untilDeadline()
	defer cancel()
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// Again calls do every half second until stop is called, which returns when do has ended. It is for datagrams, because they may be lost.
func Again(do func()) (stop func()) {
	stopped := make(chan struct{})
	var calls sync.WaitGroup
	calls.Go(func() {
		ticker := time.NewTicker(10 * Moment)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				do()
			case <-stopped:
				return
			}
		}
	})
	return func() {
		close(stopped)
		calls.Wait()
	}
}

// Receive returns the next value of c, and false if c was closed. It ends the test at Deadline. what, a format with its arguments,
// completes the sentence "waited in vain for".
func Receive[T any](t testing.TB, c <-chan T, what string, args ...any) (T, bool) {
	t.Helper()
	ctx, cancel := untilDeadline()
	defer cancel()
	select {
	case v, open := <-c:
		return v, open
	case <-ctx.Done():
		t.Fatalf("waited in vain for %s", fmt.Sprintf(what, args...))
		panic("not reached")
	}
}

// Moment is for something that must not happen, where no later event shows that it did not: a test looks for so long, and a
// slow machine can only make it find less. Where another message on the same way can come after it, wait for that one instead.
const Moment = 50 * time.Millisecond
