/*
 * tests/fault/fault.h - make the n-th allocation, write or LMDB call of a
 * process fail. Linking this library counts the calls: malloc and its kin and
 * the system calls that write, of every library (a name that the program
 * defines takes precedence over shared libraries), and our LMDB calls (the
 * linker's --wrap). Nothing is counted before fault_arm().
 */
#ifndef TESTS_FAULT_FAULT_H
#define TESTS_FAULT_FAULT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum fault_kind {
	FAULT_ALLOC, /* malloc, calloc, realloc, reallocarray */
	FAULT_WRITE, /* to files: write, fsync, rename, open to write, ... */
	FAULT_LMDB,  /* calls that may fail */
	FAULT_KINDS,
};

extern const char *const fault_names[FAULT_KINDS];

enum { MAX_PATHS = 1 << 20 };

/*
 * What a process shares with the one that judges it (fault_create()). Calls
 * are numbered from 1 in the order that the threads make them.
 */
struct fault {
	enum fault_kind kind;
	uint32_t n;            /* this call fails; 0: none */
	_Atomic uint32_t last; /* and those up to this one */
	_Atomic uint32_t count[FAULT_KINDS];
	atomic_bool has_failed;
	bool takes_paths; /* record the caller of each call of `kind` */
	uint64_t paths[MAX_PATHS]; /* a hash of the callers, by number */
};

/* Memory that children share; it stays to the end of the program. */
struct fault *fault_create(void);

/* Nothing counted and nothing failed; calls `n` to `last` must fail. */
void fault_set(struct fault *fault, enum fault_kind kind, uint32_t n,
	       uint32_t last);

/* From now on this process counts, and fails. NULL ends that. */
void fault_arm(struct fault *fault);

/* Count a call. Return its number if it must fail, otherwise 0. */
uint32_t fault_strikes(enum fault_kind kind);

#endif
