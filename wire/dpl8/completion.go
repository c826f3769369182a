package dpl8

import "dplay4/wire"

// ReqProcessCompletion is DN_REQ_PROCESS_COMPLETION (2.2.3.2): application data whose sender wants to know when it was
// consumed. Payload is the rest of the message and aliases it.
type ReqProcessCompletion struct {
	Context uint32 // dwPacketContext: comes back in DN_PROCESS_COMPLETION
	Payload []byte
}

// Type returns TypeReqProcessCompletion.
func (m *ReqProcessCompletion) Type() Type { return TypeReqProcessCompletion }

// ProcessCompletion is DN_PROCESS_COMPLETION (2.2.3.3): the payload was consumed.
type ProcessCompletion struct {
	Context uint32 // dwPacketContext: as in the request
	Layout  wire.Layout
}

// Type returns TypeProcessCompletion.
func (m *ProcessCompletion) Type() Type { return TypeProcessCompletion }

func (m *ReqProcessCompletion) fields(c *codec) {
	c.Hex32("dwPacketContext", &m.Context)
	c.Rest("payload", &m.Payload)
}

func (m *ProcessCompletion) fields(c *codec) {
	c.begin(&m.Layout)
	c.Hex32("dwPacketContext", &m.Context)
}
