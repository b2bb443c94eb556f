/*
 * tests/sandbox/attempt.h - actions that a process tries, each in a separate
 * process in the sandbox of a role.
 */
#ifndef TESTS_SANDBOX_ATTEMPT_H
#define TESTS_SANDBOX_ATTEMPT_H

#include <netinet/in.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

enum { FOLDER_NAME = 24, MAX_NAME = 64 };

/* Targets of the attempts, created by the parent outside the sandbox. */
struct surroundings {
	char folder[FOLDER_NAME];  /* anybody may write there */
	char store[MAX_NAME];      /* a file in it, also */
	char copy[MAX_NAME];       /* does not exist yet */
	struct sockaddr_in tcp;    /* has a listener */
	int listening;             /* who listens */
	int accepted;              /* a client of both */
	struct sockaddr_un path;   /* and there */
	struct sockaddr_un hidden; /* abstract, and there */
	socklen_t hidden_bytes;
	struct sockaddr_un datagrams; /* for datagrams */
	int receiving;                /* the socket of that name */
	int inherited;                /* a file that is open to write */
	pid_t parent;
};

/* 0 = done; otherwise errno. */
typedef int attempt(const struct surroundings *around);

struct attempt_row {
	const char *name;
	attempt *run;
	/*
	 * The expected result in each role, as in enum role: '+' done, '-'
	 * refused, 'k' killed for it, 'r' refused, except root the kernel
	 * decides, '?' the kernel decides.
	 */
	const char *expected;
	unsigned walls; /* whichever of them refuses it (enum sandbox_layer); 0:
			   system calls do */
};

extern const struct attempt_row file_attempts[];
extern const struct attempt_row network_attempts[];
extern const struct attempt_row process_attempts[];
extern const struct attempt_row memory_attempts[];
extern const struct attempt_row kernel_attempts[];

#endif
