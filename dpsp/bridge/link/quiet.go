package link

import "github.com/pion/logging"

// A silent is a log of pion's that says nothing: what it would say is no news to players, and it is much.
type silent struct{}

// NewLogger returns it for any part.
func (silent) NewLogger(string) logging.LeveledLogger { return silent{} }

func (silent) Trace(string)          {}
func (silent) Tracef(string, ...any) {}
func (silent) Debug(string)          {}
func (silent) Debugf(string, ...any) {}
func (silent) Info(string)           {}
func (silent) Infof(string, ...any)  {}
func (silent) Warn(string)           {}
func (silent) Warnf(string, ...any)  {}
func (silent) Error(string)          {}
func (silent) Errorf(string, ...any) {}
