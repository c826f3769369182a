package view

// Kept returns how much a core keeps of what others send.
func (c *Core) Kept() map[string]int {
	ops := 0
	for _, a := range c.parts {
		ops += len(a.ops)
	}
	return map[string]int{"lost": len(c.lost), "met": len(c.met), "left": len(c.left), "ahead": len(c.ahead), "early": len(c.early), "proven": len(c.proven),
		"parts": len(c.parts), "suspected": len(c.suspected), "places": len(c.places), "claims": len(c.claims), "operations": ops, "octets": c.kept(), "spent": len(c.spent), "follow": len(c.follow)}
}

// Bounds of what Kept returns.
var Bounds = map[string]int{"lost": maxLost, "met": maxMembers, "left": maxLost, "ahead": maxAhead, "early": maxAhead, "proven": maxProven, "parts": maxMembers, "octets": maxKept, "spent": maxSpenders, "follow": maxMembers}

// SetPart sets how many octets of operations one message has at most.
func SetPart(n int) { maxPart = n }

// Frozen reports whether a core promised another view than its own.
func (c *Core) Frozen() bool { return c.frozen() }
