// What the DLL exports, and its class factories.
#define INITGUID
#include "shell.h"

DWORD gdwDPlaySPRefCount = 0;

// What the game wants to be told of a fault that nobody handles.
static LPTOP_LEVEL_EXCEPTION_FILTER game_filter;

// Go's half cannot be unloaded. It begins in a thread that waits until the loader is done with us.
__attribute__((constructor)) static void stay(void)
{
	HMODULE self;

	GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, (const char *)(void *)stay, &self);
	expect_guards();
	game_filter = SetUnhandledExceptionFilter(NULL);
	SetUnhandledExceptionFilter(game_filter);
}

// On 386 Go takes the filter for itself, where it does nothing. Whoever else took it meanwhile keeps it.
void give_back_filter(void)
{
	LPTOP_LEVEL_EXCEPTION_FILTER now = SetUnhandledExceptionFilter(game_filter);
	HMODULE self, its = NULL;

	GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
		(const char *)(void *)stay, &self);
	GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
		(const char *)(void *)now, &its);
	if (now && its != self)
		SetUnhandledExceptionFilter(now);
}

HRESULT WINAPI DllCanUnloadNow(void)
{
	return S_FALSE;
}

static HRESULT create_directplay(REFIID iid, void **out)
{
	Object *o;
	HRESULT result = object_create(&o);

	if (result != DP_OK)
		return result;
	result = object_query(o, iid, out);
	object_discard(o);
	return result;
}

// A Factory makes objects of one class. Nobody counts who holds it, for it stays.
typedef struct Factory {
	const IClassFactoryVtbl *vtbl;
	HRESULT (*create)(REFIID iid, void **out);
} Factory;

static HRESULT WINAPI factory_query(IClassFactory *self, REFIID iid, void **out)
{
	if (!can_write(out, sizeof *out))
		return E_POINTER;
	*out = NULL;
	if (!can_read(iid, sizeof *iid))
		return E_INVALIDARG;
	if (!IsEqualGUID(iid, &IID_IUnknown) && !IsEqualGUID(iid, &IID_IClassFactory))
		return E_NOINTERFACE;
	*out = self;
	return S_OK;
}

static ULONG WINAPI factory_addref(IClassFactory *self)
{
	(void)self;
	return 2;
}

static ULONG WINAPI factory_release(IClassFactory *self)
{
	(void)self;
	return 1;
}

static HRESULT WINAPI factory_create(IClassFactory *self, IUnknown *outer, REFIID iid, void **out)
{
	if (!can_write(out, sizeof *out))
		return E_POINTER;
	*out = NULL;
	if (outer)
		return CLASS_E_NOAGGREGATION;
	return ((Factory *)self)->create(iid, out);
}

static HRESULT WINAPI factory_lock(IClassFactory *self, BOOL lock)
{
	(void)self;
	(void)lock;
	return S_OK;
}

static const IClassFactoryVtbl factory_vtbl = {factory_query, factory_addref, factory_release, factory_create, factory_lock};

static Factory directplay_factory = {&factory_vtbl, create_directplay};
static Factory lobby_factory = {&factory_vtbl, create_lobby};

HRESULT WINAPI DllGetClassObject(REFCLSID class, REFIID iid, void **out)
{
	if (!can_write(out, sizeof *out))
		return E_POINTER;
	*out = NULL;
	if (!can_read(class, sizeof *class))
		return E_INVALIDARG;
	if (IsEqualGUID(class, &CLSID_DirectPlay))
		return factory_query((IClassFactory *)&directplay_factory, iid, out);
	if (IsEqualGUID(class, &CLSID_DirectPlayLobby))
		return factory_query((IClassFactory *)&lobby_factory, iid, out);
	return CLASS_E_CLASSNOTAVAILABLE;
}

HRESULT WINAPI DirectPlayCreate(GUID *provider, IDirectPlay **out, IUnknown *outer)
{
	static const GUID none; // no provider yet
	Object *o;
	HRESULT result;

	if (outer)
		return CLASS_E_NOAGGREGATION;
	if (!can_write(out, sizeof *out))
		return DPERR_INVALIDPARAMS;
	*out = NULL;
	if (!can_read(provider, sizeof *provider))
		return DPERR_INVALIDPARAMS;
	result = object_create(&o);
	if (result != DP_OK)
		return result;
	if (!IsEqualGUID(provider, &none)) {
		Request r;

		begin_request(&r, &o->faces[FACE_1], METHOD_INITIALIZE);
		give_guid(&r, 0, provider);
		ask(&r);
		result = end_request(&r);
		o->connected = result == DP_OK;
	}
	if (result == DP_OK)
		result = object_query(o, &IID_IDirectPlay, (void **)out);
	object_discard(o);
	return result;
}

// lasting returns a copy of a provider's GUID that stays: games keep the pointer, which Windows lets them (Wine's
// test_EnumerateProviders). There are few providers; the caller's own is for one that is too many.
static GUID *lasting(const GUID *guid)
{
	static SRWLOCK lock = SRWLOCK_INIT;
	static GUID all[32];
	static size_t n;
	GUID *kept = (GUID *)guid;
	size_t i;

	AcquireSRWLockExclusive(&lock);
	for (i = 0; i < n && !IsEqualGUID(&all[i], guid); i++)
		;
	if (i < sizeof all / sizeof *all) {
		kept = &all[i];
		if (i == n)
			all[n++] = *guid;
	}
	ReleaseSRWLockExclusive(&lock);
	return kept;
}

// enumerate tells a callback of the service providers. The two kinds of callback differ in the text alone.
static HRESULT enumerate(bool wide, LPDPENUMDPCALLBACKA callback, void *context)
{
	Request r;
	const Item *item;

	begin_request(&r, NULL, METHOD_ENUM_PROVIDERS);
	r.wide = wide;
	r.number[0] = can_call(callback);
	if (ask(&r) == DP_OK) {
		for (item = r.items; item; item = item->next) {
			if (!callback(lasting((const GUID *)item->guid), item->block, item->word[0], item->word[1], context))
				break;
		}
	}
	return end_request(&r);
}

HRESULT WINAPI DirectPlayEnumerateA(LPDPENUMDPCALLBACKA callback, void *context)
{
	return enumerate(false, callback, context);
}

HRESULT WINAPI DirectPlayEnumerateW(LPDPENUMDPCALLBACKW callback, void *context)
{
	return enumerate(true, (LPDPENUMDPCALLBACKA)(void *)callback, context);
}

HRESULT WINAPI DirectPlayEnumerate(LPDPENUMDPCALLBACKA callback, void *context)
{
	return enumerate(false, callback, context);
}
