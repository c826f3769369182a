//go:build windows && cgo

package main

/*
#cgo CFLAGS: -std=gnu11 -Wall -Wextra -Wno-unused-parameter
#include "request.h"
*/
import "C"

import (
	"fmt"
	"log/slog"
	"runtime/debug"

	"dplay4/wire"
)

// work takes requests and answers them, until enough others do. Whoever takes one that may last sees to it that somebody is
// there for the next.
func work() {
	for r := C.next_request(nil); r != nil; r = C.next_request(r) {
		m := methods[uint32(r.method)]
		if r.alone != 0 && !m.quick {
			go work()
		}
		r.result = C.int32_t(run(m.run, &call{r}))
	}
}

// run runs a method. A mistake of ours is not to end the game.
func run(f func(*call) wire.HResult, c *call) (result wire.HResult) {
	defer func() {
		if p := recover(); p != nil {
			slogger().Error("panic", "method", uint32(c.r.method), "why", fmt.Sprint(p), "stack", string(debug.Stack()))
			result = wire.ErrGeneric
		}
	}()
	if f == nil {
		return wire.ErrUnsupported
	}
	return f(c)
}

// slogger returns where mistakes are told.
func slogger() *slog.Logger {
	if l := options().Config.Log; l != nil {
		return l
	}
	return slog.New(slog.DiscardHandler)
}
