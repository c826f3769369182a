// The same, as a program that cannot start without a dplayx.dll.
#define IMPORTS
#include "loads.c"
