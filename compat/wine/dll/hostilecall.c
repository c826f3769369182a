// Calls of a method that is known by its place and the number of its arguments alone.
#include "hostile.h"

typedef uintptr_t A;

HRESULT call(void *object, const struct method *m, int count, const struct argument *a)
{
	void *f = (*(void ***)object)[m->at];
#define M(...) ((HRESULT(WINAPI *)(void *, __VA_ARGS__))f)
#define V(i) a[i].value
	switch (count) {
	case 0: return ((HRESULT(WINAPI *)(void *))f)(object);
	case 1: return M(A)(object, V(0));
	case 2: return M(A, A)(object, V(0), V(1));
	case 3: return M(A, A, A)(object, V(0), V(1), V(2));
	case 4: return M(A, A, A, A)(object, V(0), V(1), V(2), V(3));
	case 5: return M(A, A, A, A, A)(object, V(0), V(1), V(2), V(3), V(4));
	case 6: return M(A, A, A, A, A, A)(object, V(0), V(1), V(2), V(3), V(4), V(5));
	case 9: return M(A, A, A, A, A, A, A, A, A)(object, V(0), V(1), V(2), V(3), V(4), V(5), V(6), V(7), V(8));
	}
	ExitProcess(4);
}
