/* daemon/ctl/nearest.h - which name was meant by a word that is none. */
#ifndef DAEMON_CTL_NEAREST_H
#define DAEMON_CTL_NEAREST_H

/* Begin with {.word = WORD}. */
struct nearest {
	const char *word;
	const char *name;  /* the nearest one tried; NULL: none is near */
	unsigned distance; /* of both; meaningless without a name */
};

/*
 * Try a name, which is kept, not copied; of two that are as near the first
 * stays. Near are a name that begins with the word (two letters or more), and
 * one that a slip of the finger in every three letters makes of it: a letter
 * changed, left out, too many, or exchanged with the next.
 */
void nearest_try(struct nearest *nearest, const char *name);

#endif
