#include "tests/fault/fault.h"

#include <execinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAX_FRAMES = 8 };

const char *const fault_names[FAULT_KINDS] = {"alloc", "write", "lmdb"};

static struct fault *armed;
static _Thread_local bool is_looking; /* backtrace() may allocate */

struct fault *fault_create(void)
{
	void *memory = mmap(NULL, sizeof(struct fault), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

void fault_set(struct fault *fault, enum fault_kind kind, uint32_t n,
	       uint32_t last)
{
	fault->kind = kind;
	fault->n = n;
	atomic_store(&fault->last, last);
	atomic_store(&fault->has_failed, false);
	for (int i = 0; i < FAULT_KINDS; i++)
		atomic_store(&fault->count[i], 0);
}

void fault_arm(struct fault *fault)
{
	void *frames[1];

	backtrace(frames, 1); /* loads its libraries */
	armed = fault;
}

/* The two callers above are the counting itself. */
static void note_path(struct fault *fault, uint32_t number)
{
	void *frames[MAX_FRAMES];
	uint64_t hash = UINT64_C(14695981039346656037);
	int count;

	is_looking = true;
	count = backtrace(frames, MAX_FRAMES);
	is_looking = false;
	for (int i = 2; i < count; i++)
		hash = (hash ^ (uintptr_t)frames[i]) * UINT64_C(1099511628211);
	fault->paths[number] = hash;
}

uint32_t fault_strikes(enum fault_kind kind)
{
	struct fault *fault = armed;
	uint32_t number;

	if (fault == NULL || is_looking)
		return 0;
	number = atomic_fetch_add(&fault->count[kind], 1) + 1;
	if (kind != fault->kind)
		return 0;
	if (fault->takes_paths && number < MAX_PATHS)
		note_path(fault, number);
	if (fault->n == 0 || number < fault->n ||
	    number > atomic_load(&fault->last))
		return 0;
	atomic_store(&fault->has_failed, true);
	return number;
}
