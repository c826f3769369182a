package wire

// EnumPort is where hosts are asked for their sessions, by UDP and, as gpgnet4ta and Microsoft's own firewall
// notes have it, by TCP as well (2.1; facts, 2.3).
const EnumPort = 47624
