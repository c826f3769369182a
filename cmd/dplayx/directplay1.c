// IDirectPlay.
#include "shell.h"

static HRESULT WINAPI query(IDirectPlay *self, REFIID iid, void **out)
{
	return face_query(self, iid, out);
}

static ULONG WINAPI addref(IDirectPlay *self)
{
	return face_addref(self);
}

static ULONG WINAPI release(IDirectPlay *self)
{
	return face_release(self);
}

const IDirectPlayVtbl directplay1_vtbl = {.QueryInterface = query, .AddRef = addref, .Release = release};
