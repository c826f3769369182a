package sock

// A found is what a read of a connection would find.
type found uint8

const (
	nothing found = iota // it would wait
	octets               // more to read; whether an end follows cannot be seen
	ended                // the other side closed it, or it broke
)
