/*
 * tests/sandbox/work.h - what each role has to be able to do, done in its
 * sandbox. Each prepares what it may open before, enters, works, and prints.
 * 0, or 1 with a line on standard error.
 */
#ifndef TESTS_SANDBOX_WORK_H
#define TESTS_SANDBOX_WORK_H

/* Enter the sandbox of the role as the current user; its messages go to
 * standard error. Exit if that fails. */
void work_enter(unsigned role, const char *const *readable);

/* A folder for a store and a socket. */
int work_keeper(char **words);

/* A command and its arguments, without a shell. */
int work_starter(char **words);

/* A URL and a PEM file of authorities: the body of its page. As fetcher. */
int work_fetcher(char **words);

/* A file and the encoding that its header names: its text. */
int work_worker(char **words);

#endif
