package wire

// RequestPlayerReply is DPSP_MSG_REQUESTPLAYERREPLY (2.2.50): the host's answer to a request for an id.
type RequestPlayerReply struct {
	ID           PlayerID // of the new player or group
	Security     SecurityDesc
	Result       HResult // OK, or why there is no id
	SSPIProvider Text    // nil: the session is not secure
	CAPIProvider Text    // nil: the session does not encrypt
	Layout       Layout
}

// Command returns CmdRequestPlayerReply.
func (m *RequestPlayerReply) Command() Command { return CmdRequestPlayerReply }

func (m *RequestPlayerReply) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("ID", &m.ID)
	c.securityDesc(&m.Security)
	sspi := c.Offset("SSPIProviderOffset")
	capi := c.Offset("CAPIProviderOffset")
	c.hresult("Result", &m.Result)
	c.FixedPart()
	c.textAt(sspi, "SSPIProvider", &m.SSPIProvider)
	c.textAt(capi, "CAPIProvider", &m.CAPIProvider)
}
