package dpl8

import "dplay4/wire"

// ReqIntegrityCheck is DN_REQ_INTEGRITY_CHECK (2.2.2.6): a peer that lost another one asks the host whether it is
// still there.
type ReqIntegrityCheck struct {
	Context uint32 // dwReqContext: ignored on receipt, kept
	Target  DPNID  // dpnidTarget: who was lost
	Layout  wire.Layout
}

// Type returns TypeReqIntegrityCheck.
func (m *ReqIntegrityCheck) Type() Type { return TypeReqIntegrityCheck }

// IntegrityCheck is DN_INTEGRITY_CHECK (2.2.2.7): the host asks the peer that was reported lost.
type IntegrityCheck struct {
	Requesting DPNID // dpnidRequesting: who reported it
	Layout     wire.Layout
}

// Type returns TypeIntegrityCheck.
func (m *IntegrityCheck) Type() Type { return TypeIntegrityCheck }

// IntegrityCheckResponse is DN_INTEGRITY_CHECK_RESPONSE (2.2.2.8): that peer is still there.
type IntegrityCheckResponse struct {
	Requesting DPNID // dpnidRequesting: as in the check
	Layout     wire.Layout
}

// Type returns TypeIntegrityCheckResponse.
func (m *IntegrityCheckResponse) Type() Type { return TypeIntegrityCheckResponse }

func (m *ReqIntegrityCheck) fields(c *codec) {
	c.begin(&m.Layout)
	c.Hex32("dwReqContext", &m.Context)
	c.id("dpnidTarget", &m.Target)
}

func (m *IntegrityCheck) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("dpnidRequesting", &m.Requesting)
}

func (m *IntegrityCheckResponse) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("dpnidRequesting", &m.Requesting)
}
