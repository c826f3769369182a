package directplay

import (
	"context"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// patience is how long a method waits, since its attempt began, before it returns DPERR_CONNECTING. Programs that ask once take
// any answer but DP_OK for a failure (facts, dll 11). It is longer than the time that a host has for an answer, so that of a host
// that never answers the error is returned.
const patience = dpsp.DefaultReply + time.Second

// An attempt to enter a session goes on when the method that began it has returned DPERR_CONNECTING.
type attempt struct {
	cancel context.CancelFunc
	done   context.Context // ends when the attempt has ended
	due    context.Context // ends when DPERR_CONNECTING may be returned, or just after done
	result wire.HResult    // valid once done has ended

	desc SessionDesc // which session Open is to join
}

// try begins an attempt.
func try(ctx context.Context, enter func(context.Context) wire.HResult) *attempt {
	a := &attempt{}
	ctx, a.cancel = context.WithCancel(ctx)
	var end, stop context.CancelFunc
	a.done, end = context.WithCancel(context.Background())
	a.due, stop = context.WithTimeout(context.Background(), patience) // who is waited for ends soon once ctx does
	go func() {
		defer stop()
		defer end()
		a.result = enter(ctx)
	}()
	return a
}

// ended reports whether the attempt has ended.
func (a *attempt) ended() bool { return a.done.Err() != nil }

// wait returns when the attempt has ended, or with DPOPEN_RETURNSTATUS when it is due. It reports whether it has ended.
func (a *attempt) wait(flags uint32) bool {
	if flags&OpenReturnStatus == 0 {
		<-a.done.Done()
	}
	<-a.due.Done()
	return a.ended()
}
