// Package windowshost is a host for tests that talks as hosts with Windows do, and as others do that were seen: it keeps
// the connection that it answered a search by, and says everything on it (facts, 2.7 to 2.11, 10.1). It knows nothing of
// the engine in package dpsp: what it says is put together with package wire alone, and it can be told to say it in odd
// ways, or to say something else.
package windowshost
