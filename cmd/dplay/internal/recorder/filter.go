package recorder

import (
	"cmp"
	"slices"

	"golang.org/x/net/bpf"

	"dplay4/wire"
)

// A framing says where the IP header of a packet begins.
type framing int

const (
	ethernet framing = iota // behind an Ethernet header
	bareIP                  // at once, as of VPN adapters
	loopback                // behind an Ethernet header, and everything passes twice: going out, and coming in
)

// Numbers of headers that the filter goes by.
const (
	etherTypeAt   = 12
	etherHeader   = 14
	etherTypeIPv4 = 0x0800
	etherTypeIPX  = 0x8137
	protocolICMP  = 1
	protocolTCP   = 6
	protocolUDP   = 17
	laterFragment = 0x1fff // the bits of a fragment's place
	outgoing      = 4      // the kernel's PACKET_OUTGOING
	wholePacket   = 1 << 18
)

// icmpErrors are the types that say why something did not arrive: unreachable, quench, redirect, time, parameter.
var icmpErrors = []uint32{3, 4, 5, 11, 12}

// basePorts are those that every recording has: DirectPlay 4's, and the one where DirectPlay 8 is asked, so that the doctor
// can say that it is that.
var basePorts = []wire.Ports{{First: 2300, Last: 2400}, {First: wire.EnumPort, Last: wire.EnumPort}, {First: 6073, Last: 6073}}

// merged returns the ranges of ports in order, without what is in another one. There is one at least.
func merged(ports []wire.Ports) []wire.Ports {
	ports = slices.SortedFunc(slices.Values(ports), func(a, b wire.Ports) int { return cmp.Compare(a.First, b.First) })
	list := ports[:1]
	for _, p := range ports[1:] {
		if last := &list[len(list)-1]; int(p.First) <= int(last.Last)+1 {
			last.Last = max(last.Last, p.Last)
		} else {
			list = append(list, p)
		}
	}
	return list
}

// program returns the filter that the kernel runs for each packet. It takes TCP and UDP over IPv4 from and to the ports, all
// fragments of IP datagrams but the first, which have no ports, errors of ICMP, and IPX.
func program(f framing, ports []wire.Ports) []bpf.Instruction {
	take, drop := bpf.RetConstant{Val: wholePacket}, bpf.RetConstant{}
	var all []bpf.Instruction
	add := func(list ...bpf.Instruction) { all = append(all, list...) }
	takeIf := func(cond bpf.JumpTest, v uint32) { add(bpf.JumpIf{Cond: cond, Val: v, SkipFalse: 1}, take) }
	ip := uint32(etherHeader)
	switch f {
	case loopback:
		add(bpf.LoadExtension{Num: bpf.ExtType}, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: outgoing, SkipTrue: 1}, drop)
		fallthrough
	case ethernet:
		add(bpf.LoadAbsolute{Off: etherTypeAt, Size: 2})
		takeIf(bpf.JumpEqual, etherTypeIPX)
		add(bpf.JumpIf{Cond: bpf.JumpEqual, Val: etherTypeIPv4, SkipTrue: 1}, drop)
	case bareIP:
		ip = 0
		add(bpf.LoadAbsolute{Size: 1}, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf0},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0x40, SkipTrue: 1}, drop)
	}
	add(bpf.LoadAbsolute{Off: ip + 6, Size: 2})
	takeIf(bpf.JumpBitsSet, laterFragment)
	add(bpf.LoadMemShift{Off: ip}, bpf.LoadAbsolute{Off: ip + 9, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: protocolICMP, SkipTrue: uint8(2 + 2*len(icmpErrors))},
		bpf.LoadIndirect{Off: ip, Size: 1})
	for _, kind := range icmpErrors {
		takeIf(bpf.JumpEqual, kind)
	}
	add(drop, bpf.JumpIf{Cond: bpf.JumpEqual, Val: protocolTCP, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protocolUDP, SkipTrue: 1}, drop)
	for _, end := range []uint32{0, 2} { // the sender's port, and the addressee's
		add(bpf.LoadIndirect{Off: ip + end, Size: 2})
		for _, p := range merged(ports) {
			add(bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: uint32(p.First), SkipFalse: 2},
				bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: uint32(p.Last), SkipTrue: 1}, take)
		}
	}
	return append(all, drop)
}

// A sieve is the filter again, for packets that the kernel handed over before it had it, and for those of other programs.
// The kind of a packet is not known here.
type sieve map[framing]*bpf.VM

// newSieve returns the filter for some ports. A program for more of them has more instructions of the same kinds, and so is valid as well.
func newSieve(ports []wire.Ports) sieve {
	s := sieve{}
	for _, f := range []framing{ethernet, bareIP} {
		vm, err := bpf.NewVM(program(f, ports))
		if err != nil {
			panic(err)
		}
		s[f] = vm
	}
	s[loopback] = s[ethernet]
	return s
}

// takes reports whether a packet is to be recorded.
func (s sieve) takes(f framing, packet []byte) bool {
	n, _ := s[f].Run(packet) // 0 beside an error
	return n > 0
}
