package reliable_test

import (
	"errors"
	"fmt"

	"dplay4/wire"
	"dplay4/wire/reliable"
)

func ExampleDecode() {
	f, err := reliable.Decode([]byte{0x01, 0x02, 0x39, 0x02, 0x04, 0x01, 'h', 'i'})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v %v from %d to %d: message %d, sequence %d, sent %d times before: %q\n",
		f.Kind(), f.Flags, f.From, f.To, f.MessageID, f.Sequence, f.Serial, f.Data)
	_, err = reliable.Decode([]byte{0x01, 0x02, 0x39, 0x02})
	if e, ok := errors.AsType[*wire.DecodeError](err); ok {
		fmt.Println(e.Message, e.Field, "at octet", e.Offset, "too short:", errors.Is(err, wire.ErrShort))
	}
	// Output:
	// DATA CMD|STA|EOM|RLY from 1 to 2: message 2, sequence 4, sent 1 times before: "hi"
	// DATA sequence at octet 4 too short: true
}

func ExampleFrame_SetLost() {
	nack := reliable.Frame{From: 2, To: 1, MessageID: 5}
	n := nack.SetLost([]uint8{7, 8, 9, 60})
	b, err := nack.Append(nil)
	fmt.Printf("% x %v\n", b, err)
	fmt.Println("reported", nack.Lost(nil), "of the", n, "that fit")
	// Output:
	// 02 01 82 20 05 07 00 00 00 00 00 00 00 00 03 <nil>
	// reported [7 8 9] of the 3 that fit
}

func ExampleAssembler() {
	const cmd, sta, eom = reliable.CMD | reliable.RLY, reliable.STA, reliable.EOM
	var a reliable.Assembler
	for _, f := range []reliable.Frame{
		{Flags: cmd | sta, MessageID: 1, Sequence: 1, Data: []byte("one ")},
		{Flags: cmd | eom, MessageID: 1, Sequence: 3, Data: []byte("three")},
		{Flags: cmd | eom, MessageID: 1, Sequence: 3, Serial: 3, Data: []byte("three")},
		{Flags: cmd, MessageID: 1, Sequence: 2, Data: []byte("two ")},
	} {
		r := a.Add(&f)
		fmt.Printf("%v %q\n", r.Verdict, r.Message)
	}
	// Output:
	// kept ""
	// kept ""
	// repeated ""
	// complete "one two three"
}
