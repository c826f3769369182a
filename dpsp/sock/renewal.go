package sock

// The engine makes a connection that broke once more when it is told with StreamEnded: it sends something to the peer.

// lost reports whether messages that were written may not have arrived. Systems other than Linux do not tell: there it is true.
func (w *writer) lost() bool { return w.broken || w.used && !acknowledged(w.conn) }
