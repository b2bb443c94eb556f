/*
 * tests/fault/fault.h - has the n-th allocation, write or LMDB call of a
 * process fail. A program that links this library has its calls counted: of
 * malloc and its kin and of the system calls that write, those of every library
 * (a name that the program defines itself goes before the shared libraries'),
 * of LMDB those of ours (the linker's --wrap). Nothing is counted before
 * fault_arm().
 */
#ifndef TESTS_FAULT_FAULT_H
#define TESTS_FAULT_FAULT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum fault_kind {
	FAULT_ALLOC, /* malloc, calloc, realloc, reallocarray */
	FAULT_WRITE, /* to files: write, fsync, rename, open to write, ... */
	FAULT_LMDB,  /* those that may fail */
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
	bool takes_paths; /* note from where each call of `kind` is made */
	uint64_t paths[MAX_PATHS]; /* a hash of the callers, by number */
};

/* Memory that children share; it stays to the end of the program. */
struct fault *fault_create(void);

/* Nothing counted and nothing failed; call `n` to `last` shall fail. */
void fault_set(struct fault *fault, enum fault_kind kind, uint32_t n,
	       uint32_t last);

/* From now on this process counts, and fails. NULL ends that. */
void fault_arm(struct fault *fault);

/* Count a call; its number when it must fail, 0 when it may go on. */
uint32_t fault_strikes(enum fault_kind kind);

#endif
