// Threads of Go's, and our own. The DLL has a CreateThread of its own, as it has what threads wait for each other by (waits.c).
//
// Wine 10 cannot end a young thread of 32 bits: between its first call to Wine's server and its first instruction in the program
// the segment of its thread-local storage is not noted yet, and the signal that ends it ends the process with SIGSEGV (facts, dll
// 10). So a process that ends must not meet one. ExitProcess takes the lock of the process' environment block before it ends the
// other threads, so a thread is young only under that lock. Windows lets CreateThread and ExitProcess wait for each other.
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

// The names that the linker knows CreateThread by: what is called, and the word that the loader fills in for who calls
// a function of another DLL. With both here it takes neither from the system's library.
#ifdef __i386__
#define CALLED "_CreateThread@24"
#define IMPORTED "__imp__CreateThread@24"
#else
#define CALLED "CreateThread"
#define IMPORTED "__imp_CreateThread"
#endif

typedef HANDLE(WINAPI *Create)(SECURITY_ATTRIBUTES *, SIZE_T, LPTHREAD_START_ROUTINE, void *, DWORD, DWORD *);

HANDLE WINAPI create_thread(SECURITY_ATTRIBUTES *security, SIZE_T stack, LPTHREAD_START_ROUTINE start, void *argument,
	DWORD flags, DWORD *id) __asm__(CALLED);
extern const Create imported __asm__(IMPORTED);
const Create imported = create_thread;

static FARPROC system_function(const char *library, const char *name)
{
	return GetProcAddress(GetModuleHandleA(library), name);
}

HANDLE WINAPI create_thread(SECURITY_ATTRIBUTES *security, SIZE_T stack, LPTHREAD_START_ROUTINE start, void *argument,
	DWORD flags, DWORD *id)
{
	Create create = (Create)(void *)system_function("kernel32.dll", "CreateThread");
	void(WINAPI *lock)(void) = (void *)system_function("ntdll.dll", "RtlAcquirePebLock");
	void(WINAPI *unlock)(void) = (void *)system_function("ntdll.dll", "RtlReleasePebLock");
	CONTEXT context = {.ContextFlags = CONTEXT_CONTROL};
	HANDLE thread;
	DWORD error;

	if (!system_function("ntdll.dll", "wine_get_version") || !lock || !unlock)
		return create(security, stack, start, argument, flags, id);
	lock();
	thread = create(security, stack, start, argument, flags | CREATE_SUSPENDED, id);
	error = GetLastError();
	if (thread) {
		GetThreadContext(thread, &context); // it has one when it is no longer young: Wine waits
		if (!(flags & CREATE_SUSPENDED))
			ResumeThread(thread);
	}
	unlock();
	SetLastError(error);
	return thread;
}
