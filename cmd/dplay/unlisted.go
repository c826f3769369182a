package main

import (
	"fmt"
	"time"

	"dplay4/captures"
)

// listingPatience is how long a machine that became host has to be found by those who look for the session, before the
// user is told that it is not: long enough for two tries more at ports that the host before us may still have.
const listingPatience = 5 * time.Second

// watchListing notes that we are host now, or no more.
func (p *playing) watchListing(hosting bool) {
	p.listing = nil
	if hosting {
		p.listing = time.After(listingPatience)
	}
}

// tellUnlisted says, once for each time that we become host, why nobody finds the session. It goes on all the same.
func (p *playing) tellUnlisted(why error) {
	p.listing = nil
	if why != nil {
		fmt.Fprintf(p.std.Err, "dplay: we are the host, but who looks for the session does not find it here: %s; we keep trying\n",
			captures.Printable(why.Error()))
	}
}
