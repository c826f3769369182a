package dpl8_test

import (
	"fmt"

	"dplay4/wire/dpl8"
)

// The new host asked for what comes after version 6, and a peer answers with the operation that it has.
func Example() {
	b, err := dpl8.Append(nil, &dpl8.AckNameTableOp{Operations: []dpl8.Operation{
		{Message: &dpl8.DestroyPlayer{Leaving: 0x00300003, Version: 7, Reason: dpl8.DestroyNormal}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := dpl8.Decode(b)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, op := range m.(*dpl8.AckNameTableOp).Operations {
		if gone, ok := op.Message.(*dpl8.DestroyPlayer); ok {
			fmt.Println(op.ID, gone.Leaving, gone.Version, gone.Reason)
		}
	}
	// Output: DESTROY_PLAYER 0x00300003 7 NORMAL
}

// What is wrong with a message is said with the place.
func ExampleDecode_error() {
	_, err := dpl8.Decode([]byte{0xCC, 0, 0, 0, 1, 0, 0, 0, 0xD1, 0, 0, 0, 99, 0, 0, 0, 16, 0, 0, 0})
	fmt.Println(err)
	// Output: ACK_NAMETABLE_OP.Operations[0].dwOpOffset at octet 12: points outside the message (99)
}
