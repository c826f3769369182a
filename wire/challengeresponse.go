package wire

// ChallengeResponse is DPSP_MSG_CHALLENGERESPONSE (2.2.18).
type ChallengeResponse struct {
	From   PlayerID // IDFrom: the sender's system player
	Token  []byte   // SecurityToken: opaque
	Layout Layout
}

// Command returns CmdChallengeResponse.
func (m *ChallengeResponse) Command() Command { return CmdChallengeResponse }

func (m *ChallengeResponse) fields(c *codec) {
	c.begin(&m.Layout)
	c.securityToken(&m.From, &m.Token)
}
