// Package bench measures sessions with their sockets on loopback, beside what it measures: joins, messages a second and
// memory ("make bench-session"), how long a session is without a host ("make bench-migration"), and what links of the reliable
// protocol bring ("make bench-reliable"). It is benchmarks that print tables, and has no code besides.
package bench
