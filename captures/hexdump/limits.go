package hexdump

// MaxText is the most octets of text that Capture reads.
const MaxText = 16 << 20
