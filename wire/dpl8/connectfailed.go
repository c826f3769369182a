package dpl8

import "dplay4/wire"

// InstructedConnectFailed is DN_INSTRUCTED_CONNECT_FAILED (2.2.1.11): a peer could not connect where the host told it
// to.
type InstructedConnectFailed struct {
	ID     DPNID // dpnID: of the peer that was not reached
	Layout wire.Layout
}

// Type returns TypeInstructedConnectFailed.
func (m *InstructedConnectFailed) Type() Type { return TypeInstructedConnectFailed }

// ConnectAttemptFailed is DN_CONNECT_ATTEMPT_FAILED (2.2.1.12): the host tells a joining peer that another one could
// not connect to it.
type ConnectAttemptFailed struct {
	ID     DPNID // dpnID: of the peer that could not connect
	Layout wire.Layout
}

// Type returns TypeConnectAttemptFailed.
func (m *ConnectAttemptFailed) Type() Type { return TypeConnectAttemptFailed }

// ConnectFailed is DN_CONNECT_FAILED (2.2.1.3): the host does not let the sender in. Reply aliases the message.
type ConnectFailed struct {
	Result Result // hResultCode
	Reply  []byte // the application's reason; nil: none
	Layout wire.Layout
}

// Type returns TypeConnectFailed.
func (m *ConnectFailed) Type() Type { return TypeConnectFailed }

func (m *InstructedConnectFailed) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("dpnID", &m.ID)
}

func (m *ConnectAttemptFailed) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("dpnID", &m.ID)
}

func (m *ConnectFailed) fields(c *codec) {
	c.begin(&m.Layout)
	c.Named("hResultCode", (*uint32)(&m.Result), resultName)
	reply := c.Pair("dwReplyOffset", "dwReplySize", len(m.Reply))
	c.FixedPart()
	c.dataAt(reply, "reply", &m.Reply)
}
