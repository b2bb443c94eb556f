/*
 * tests/sandbox/attempt.h - things that a process tries, each in a process of
 * its own that is in the sandbox of a role.
 */
#ifndef TESTS_SANDBOX_ATTEMPT_H
#define TESTS_SANDBOX_ATTEMPT_H

#include <netinet/in.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

enum { FOLDER_NAME = 24, MAX_NAME = 64 };

/* What is there to be reached: made by the parent, who is outside. */
struct surroundings {
	char folder[FOLDER_NAME];  /* anybody may write there */
	char store[MAX_NAME];      /* a file in it, also */
	char copy[MAX_NAME];       /* what is not there yet */
	struct sockaddr_in tcp;    /* somebody listens there */
	int listening;             /* who listens */
	int accepted;              /* a client of theirs */
	struct sockaddr_un path;   /* and there */
	struct sockaddr_un hidden; /* abstract, and there */
	socklen_t hidden_bytes;
	struct sockaddr_un datagrams; /* for datagrams */
	int receiving;                /* the socket of that name */
	int inherited;                /* a file that is open to write */
	pid_t parent;
};

/* 0: it was done; else errno. */
typedef int attempt(const struct surroundings *around);

struct attempt_row {
	const char *name;
	attempt *run;
	/*
	 * What shall come of it in each role, as in enum role: '+' done, '-'
	 * refused, 'k' killed for it, 'r' refused, but root as the kernel
	 * likes, '?' as it likes.
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
