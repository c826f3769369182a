package console

// suspend does nothing: Windows has no such thing.
func suspend() {}
