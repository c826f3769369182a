package directplay

import "dplay4/wire"

// Room is the buffer that a game offers for an answer: a pointer and the size that it wrote beside it.
type Room struct {
	Null bool // there is no buffer: the game asks how large it has to be
	Size uint32
}

// Reply is the answer to a question that is asked with a buffer.
type Reply struct {
	Code wire.HResult
	Data []byte // goes into the buffer if Code is wire.OK
	Size uint32 // goes where the game wrote the size, if Code is wire.OK or wire.ErrBufferTooSmall; it stays otherwise
}

// reply puts data into the room: DPERR_BUFFERTOOSMALL and the size that it needs, if it does not fit.
func (r Room) reply(data []byte) Reply {
	size := uint32(len(data))
	if r.Null || r.Size < size {
		return Reply{Code: wire.ErrBufferTooSmall, Size: size}
	}
	return Reply{Data: data, Size: size}
}

// refused is a reply that has nothing but a code.
func refused(code wire.HResult) Reply { return Reply{Code: code} }
