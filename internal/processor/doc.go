// Package processor measures the processor time of this process. Unlike the time that passes it does not grow while other processes hold
// the processor, so work can be measured and limited by it. Everything that runs in the process at the same time adds to it.
package processor
