package wire

// AuthError is DPSP_MSG_AUTHERROR (2.2.16): why authentication failed.
type AuthError struct {
	Error  HResult
	Layout Layout
}

// Command returns CmdAuthError.
func (m *AuthError) Command() Command { return CmdAuthError }

func (m *AuthError) fields(c *codec) {
	c.begin(&m.Layout)
	c.hresult("Error", &m.Error)
}
