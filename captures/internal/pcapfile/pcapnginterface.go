package pcapfile

// The options of an Interface Description Block that matter here.
const (
	optEnd      = 0  // opt_endofopt
	optTSResol  = 9  // if_tsresol, 1 octet
	optTSOffset = 14 // if_tsoffset, 8 octets
)

// describe takes an interface description.
func (f *ngFormat) describe(b ngBlock) error {
	h, err := f.hold(b, ngInterfaceSize, "Interface Description Block")
	if err != nil {
		return err
	}
	if len(f.interfaces) == MaxInterfaces {
		return f.src.fail("Interface Description Blocks of the section", b.at, MaxInterfaces+1, ErrLimit)
	}
	d := ngDescription{link: LinkType(f.order.Uint16(h[8:])), snap: f.order.Uint32(h[12:]), clock: clock{unit: 1e6}}
	if err := f.options(h[16:len(h)-ngTrailer], b.at+16, &d.clock); err != nil {
		return err
	}
	f.interfaces = append(f.interfaces, d)
	return nil
}

// options reads what an interface's options say about its clock. at is the offset of the first option.
func (f *ngFormat) options(h []byte, at int64, c *clock) error {
	for len(h) >= 4 { // a list may end without opt_endofopt
		code, n := f.order.Uint16(h), int(f.order.Uint16(h[2:]))
		if code == optEnd {
			return nil
		}
		padded := 4 + (n+3)&^3
		if padded > len(h) {
			return f.src.fail("Interface Description Block: Option Length", at+2, uint64(n), ErrValue)
		}
		switch value := h[4 : 4+n]; code {
		case optTSResol:
			if n != 1 {
				return f.src.fail("if_tsresol: Option Length", at+2, uint64(n), ErrValue)
			}
			if !c.resolution(value[0]) {
				return f.src.fail("if_tsresol", at+4, uint64(value[0]), ErrLimit)
			}
		case optTSOffset:
			if n != 8 {
				return f.src.fail("if_tsoffset: Option Length", at+2, uint64(n), ErrValue)
			}
			c.offset = int64(f.order.Uint64(value))
		}
		h, at = h[padded:], at+int64(padded)
	}
	return nil
}
