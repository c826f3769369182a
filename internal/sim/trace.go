package sim

import (
	"bytes"
	"fmt"

	"dplay4/dpsp"
	"dplay4/wire"
)

// traceInput puts an input on the timeline, if that is wanted.
func (w *World) traceInput(l *lane, in *dpsp.Input) {
	if !w.opt.Trace {
		return
	}
	switch in.Kind {
	case dpsp.Stream, dpsp.Datagram:
		w.moment(l, "receives", "%s from %v", describe(in.Data, in.Kind == dpsp.Datagram), in.From)
	case dpsp.StreamClosed:
		w.moment(l, "closed", "the connection to %v", in.From)
	case dpsp.Request:
		w.moment(l, "asks", "%T %+v", in.Command, in.Command)
	}
}

// traceOutput puts what an engine sends on the timeline, if that is wanted.
func (w *World) traceOutput(l *lane, s *dpsp.Outgoing) {
	if w.opt.Trace {
		w.moment(l, "sends", "%s to %v", describe(s.Data, s.Transport != dpsp.TCP), s.To)
	}
}

// describe names a message.
func describe(b []byte, datagram bool) string {
	var d wire.Decoder
	var env wire.Envelope
	var err error
	if datagram {
		env, err = d.DecodeDatagram(b)
	} else {
		env, err = d.DecodeStream(b)
	}
	switch {
	case err != nil:
		return "octets that do not decode (" + err.Error() + ")"
	case !env.System():
		return "a game message" + describeTag(b)
	}
	x, ok := env.Message.(*wire.Extension)
	if !ok {
		return env.Message.Command().String() + describeTag(b)
	}
	name := x.Command().String() + " " + x.Kind.String()
	if v, ok := x.Body.(*wire.ExtensionView); ok {
		name += fmt.Sprintf(" %v of %v: view %d/%d/%v at %d", v.Step, v.From.System, v.View.Epoch, v.View.Join, v.View.Leader, v.Index)
	}
	if a, ok := x.Body.(*wire.ExtensionArrived); ok {
		name += fmt.Sprintf(" at meeting %d of %d: connection %d, next %d, read %d, count %d",
			a.Mine.Meeting, a.Yours.Meeting, a.Connection, a.Next, a.Read, a.Count)
	}
	return name
}

// describeTag tells which guaranteed message of a program is in a message; "" if none is.
func describeTag(b []byte) string {
	at := bytes.Index(b, []byte(tagMark))
	if at < 0 {
		return ""
	}
	x, ok := parseTag(b[at:])
	if !ok || x.number == 0 {
		return ""
	}
	return fmt.Sprintf(" (number %d of membership %d)", x.number, x.entry)
}
