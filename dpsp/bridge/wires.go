package bridge

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"

	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/plan"
)

const (
	messagesWait = 64              // that the other side does not take
	dialMost     = 8 * time.Second // for a connection
	knockMost    = 5 * time.Second
	endMost      = time.Second // between the end of a link and that of its streams
)

// A wired is a link, with the stream on which the plans of both machines talk: the first one, which whoever connected begins.
type wired struct {
	link   link.Link
	out    chan []byte
	once   sync.Once
	silent int // how often in a row there was no way when it was looked at
}

// connected has the plan know of a connection.
func (l *loop) connected(c link.Link, ours, knock bool) {
	w := &wired{link: c, out: make(chan []byte, messagesWait)}
	l.last++
	n := l.last
	l.wires[n] = w
	l.work.Go(func() {
		<-c.Context().Done()
		var ended *link.EndedError
		down := plan.Down{Link: n}
		if errors.As(context.Cause(c.Context()), &ended) {
			down.Reason = ended.Reason
		}
		l.post(func() { l.disconnected(down) })
	})
	l.work.Go(func() {
		w.talk(l, n, ours)
		if _, err := link.Next(c.Context(), c.Context(), time.After(endMost)); err == nil { // otherwise the link is down, which ended the stream
			w.close(plan.Broken)
		}
	})
	l.step(plan.Up{Link: n, ID: plan.ID(c.ID()), Ours: ours, Knock: knock})
}

func (l *loop) disconnected(down plan.Down) {
	if l.wires[down.Link] == nil {
		return
	}
	delete(l.wires, down.Link)
	l.step(down)
}

// close ends the link.
func (w *wired) close(reason string) {
	w.once.Do(func() { w.link.Close(reason) }) //nolint:errcheck // it is down in any case
}

// talk carries what the plans say, until the link is down or the other side says what no program of ours does.
func (w *wired) talk(l *loop, n plan.Link, ours bool) {
	ctx := w.link.Context()
	open := w.link.AcceptStream
	if ours {
		open = w.link.OpenStream
	}
	s, err := open(ctx)
	if err != nil {
		return
	}
	stop := context.AfterFunc(ctx, s.Reset)
	defer stop()
	l.work.Go(func() {
		for {
			select {
			case data := <-w.out:
				if _, err := s.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...)); err != nil {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	})
	for {
		data, err := read(s)
		if err != nil {
			return
		}
		l.post(func() { l.step(plan.Heard{Link: n, Data: data}) })
	}
}

// read reads a message.
func read(r io.Reader) ([]byte, error) {
	var n uint32
	if err := binary.Read(r, binary.BigEndian, &n); err != nil {
		return nil, err
	}
	if n > plan.MaxMessage {
		return nil, errors.New("the message is too large")
	}
	data := make([]byte, n)
	_, err := io.ReadFull(r, data)
	return data, err
}

// say has a message be sent. A machine that does not take what is said is one that is not there.
func (l *loop) say(o plan.Send) {
	if w := l.wires[o.Link]; w != nil && !link.Offer(w.out, o.Data) {
		l.work.Go(func() { w.close(plan.Broken) })
	}
}

// hangUp ends a link.
func (l *loop) hangUp(o plan.Close) {
	if w := l.wires[o.Link]; w != nil {
		delete(l.wires, o.Link)
		l.work.Go(func() { w.close(o.Reason) })
	}
}

// accept takes the connections of other machines.
func (l *loop) accept() {
	for {
		c, err := l.net.Accept(l.ctx)
		if err != nil {
			return
		}
		l.handOver(c, false, false)
	}
}

// handOver gives a new connection to the loop, or ends it if there is none any more.
func (l *loop) handOver(c link.Link, ours, knock bool) {
	if !l.post(func() { l.connected(c, ours, knock) }) {
		c.Close(plan.Left) //nolint:errcheck // it is down in any case
	}
}

// dial connects to a machine.
func (l *loop) dial(o plan.Dial) {
	ctx, cancel := context.WithTimeout(l.ctx, dialMost)
	defer cancel()
	c, err := l.net.Dial(ctx, link.ID(o.ID), o.At)
	if err != nil {
		l.post(func() { l.step(plan.Failed{ID: o.ID}) })
		return
	}
	l.handOver(c, true, false)
}

// knock connects to who answers newcomers.
func (l *loop) knock() {
	ctx, cancel := context.WithTimeout(l.ctx, knockMost)
	defer cancel()
	c, err := l.net.Knock(ctx)
	if err != nil {
		l.post(func() {
			l.step(plan.Unanswered{Ourselves: errors.Is(err, link.ErrOurselves), Reason: whyUnanswered(err)})
		})
		return
	}
	l.handOver(c, true, true)
}

// whyUnanswered says why nobody answered, if that is not all that is to say.
func whyUnanswered(err error) string {
	if errors.Is(err, link.ErrNobody) || errors.Is(err, context.DeadlineExceeded) {
		return ""
	}
	return err.Error()
}
