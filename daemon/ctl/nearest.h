/*
 * daemon/ctl/nearest.h - suggest the known name that is nearest to an unknown
 * word.
 */
#ifndef DAEMON_CTL_NEAREST_H
#define DAEMON_CTL_NEAREST_H

/* Begin with {.word = WORD}. */
struct name_suggestion {
	const char *word;
	const char *name;  /* the nearest name; or NULL */
	unsigned distance; /* between word and name; undefined without one */
};

/*
 * Compare the word with `name`, which must outlive `nearest`; on a tie the
 * earlier name wins. A name is near if it begins with the word (two letters or
 * more), or differs by at most one typing error per three letters: a letter
 * changed, missing, added, or exchanged with the next.
 */
void suggest_name(struct name_suggestion *nearest, const char *name);

#endif
