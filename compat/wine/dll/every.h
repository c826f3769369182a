// Calls of any method of IDirectPlay4, with a stack as the caller wants it.
#ifndef EVERY_H
#define EVERY_H

#include <dplay.h>
#include <stdint.h>
#include <string.h>

// The methods of IDirectPlay4, and how many arguments each takes.
enum { FIRST_METHOD = 3, METHODS = 53 };
static const unsigned char arguments[METHODS] = {
	2, 0, 0,
	/* 2 */ 2, 0, 5, 6, 2, 1, 1, 5, 4, 4, 5, 2, 4, 3, 2, 3, 3, 4, 3, 2, 1, 2, 5, 5, 4, 3, 4, 3, 2,
	/* 3 */ 2, 6, 2, 4, 5, 4, 2, 4, 4, 3, 2, 2, 2, 4, 2,
	/* 4 */ 2, 2, 9, 5, 2, 3,
};

// call_off calls a method with a stack that is off by some octets from what compilers of today align to.
static HRESULT call_off(void *object, int method, const uintptr_t *given, uintptr_t off)
{
	uintptr_t all[10] = {(uintptr_t)object};
	uintptr_t count = 1 + arguments[method], result;
	void *function = (*(void ***)object)[method];

	memcpy(all + 1, given, arguments[method] * sizeof *all);
#ifdef __i386__
	const uintptr_t *args = all;
	__asm__ volatile("movl %%esp, %%esi\n\t"
		"andl $-16, %%esp\n\t"
		"subl %%edi, %%esp\n"
		"1:\ttestl %%ecx, %%ecx\n\t"
		"jz 2f\n\t"
		"pushl -4(%%edx,%%ecx,4)\n\t"
		"decl %%ecx\n\t"
		"jmp 1b\n"
		"2:\tcall *%%eax\n\t"
		"movl %%esi, %%esp"
		: "=a"(result), "+c"(count), "+d"(args)
		: "0"(function), "D"(off + 16 - count * 4 % 16)
		: "esi", "memory", "cc");
#else
	uintptr_t stacked = count > 4 ? count - 4 : 0;
	register uintptr_t a0 __asm__("rcx") = all[0];
	register uintptr_t a1 __asm__("rdx") = all[1];
	register uintptr_t a2 __asm__("r8") = all[2];
	register uintptr_t a3 __asm__("r9") = all[3];
	register uintptr_t down __asm__("r13") = off + 16 - stacked * 8 % 16;
	__asm__ volatile("movq %%rsp, %%r12\n\t"
		"andq $-16, %%rsp\n\t"
		"subq %%r13, %%rsp\n"
		"1:\ttestq %%rbx, %%rbx\n\t"
		"jz 2f\n\t"
		"pushq 24(%%rsi,%%rbx,8)\n\t"
		"decq %%rbx\n\t"
		"jmp 1b\n"
		"2:\tsubq $32, %%rsp\n\t"
		"call *%%rax\n\t"
		"movq %%r12, %%rsp"
		: "=a"(result), "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3), "+b"(stacked)
		: "0"(function), "S"(all), "r"(down)
		: "r12", "r10", "r11", "memory", "cc");
#endif
	return (HRESULT)result;
}

#endif
