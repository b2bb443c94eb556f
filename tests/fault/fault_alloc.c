/* Replaces the allocation functions of libc, or of AddressSanitizer. */
#include "tests/fault/fault.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#define VISIBLE __attribute__((visibility("default")))

#ifdef IS_SANITIZED
#define REAL(name) __interceptor_##name
#else
#define REAL(name) __libc_##name
#endif

void *REAL(malloc)(size_t size);
void *REAL(calloc)(size_t count, size_t size);
void *REAL(realloc)(void *memory, size_t size);

/* The names of the parameters are ours, the behaviour is that of libc.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,clang-analyzer-optin.portability.UnixAPI)
 */
VISIBLE void *malloc(size_t size)
{
	if (fault_strikes(FAULT_ALLOC) == 0)
		return REAL(malloc)(size);
	errno = ENOMEM;
	return NULL;
}

VISIBLE void *calloc(size_t count, size_t size)
{
	if (fault_strikes(FAULT_ALLOC) == 0)
		return REAL(calloc)(count, size);
	errno = ENOMEM;
	return NULL;
}

VISIBLE void *realloc(void *memory, size_t size)
{
	if (fault_strikes(FAULT_ALLOC) == 0)
		return REAL(realloc)(memory, size);
	errno = ENOMEM;
	return NULL;
}

VISIBLE void *reallocarray(void *memory, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / size) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(memory, count * size);
}

#ifdef IS_SANITIZED
VISIBLE const char *__lsan_default_suppressions(void);

/* It knows the allocations of the dynamic linker by their caller, which we are
 * now. */
VISIBLE const char *__lsan_default_suppressions(void)
{
	return "leak:_dl_\nleak:dl_open\n";
}
#endif
/* NOLINTEND(readability-inconsistent-declaration-parameter-name,clang-analyzer-optin.portability.UnixAPI)
 */
