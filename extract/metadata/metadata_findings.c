#include "extract/metadata/metadata_findings.h"

#include "base/arena.h"
#include "base/utf8.h"

void findings_add(struct metadata_candidates *findings, enum subject subject,
		  struct slice value, const char *source, uint32_t rank)
{
	uint32_t *count = &findings->counts[subject];
	char *out;

	if (value.size == 0 || *count == MAX_FINDINGS ||
	    (value.size > MAX_VALUE && subject_is_address(subject)))
		return;
	value = utf8_truncate(value, MAX_VALUE);
	out = arena_alloc(findings->arena, value.size, 1);
	value = (struct slice){out, text_collapse(value, out)};
	if (value.size > 0)
		findings->items[subject][(*count)++] =
			(struct metadata_candidate){value, source, rank,
						    NO_NODE};
}

const struct metadata_candidate *
findings_best(const struct metadata_candidates *findings, enum subject subject)
{
	const struct metadata_candidate *best = NULL;

	for (uint32_t i = 0; i < findings->counts[subject]; i++) {
		const struct metadata_candidate *one =
			&findings->items[subject][i];

		if (best == NULL || one->rank < best->rank)
			best = one;
	}
	return best;
}

bool value_is(struct slice text, const char *word)
{
	return text.size == strlen(word) &&
	       strncasecmp(text.data, word, text.size) == 0;
}

static bool findings_is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r' ||
	       byte == '\f';
}

bool value_has_word(struct slice text, const char *word)
{
	const char *at = text.data;
	const char *end;

	if (text.size == 0)
		return false; /* it may have no bytes */
	end = at + text.size;
	while (at < end) {
		const char *first = at;

		while (at < end && !findings_is_space(*at))
			at++;
		if (value_is((struct slice){first, (size_t)(at - first)}, word))
			return true;
		at++;
	}
	return false;
}

bool value_holds(struct slice text, const char *word)
{
	size_t size = strlen(word);
	const char *bytes = text.data;

	for (size_t i = 0; i + size <= text.size; i++)
		if ((bytes[i] | 0x20) == (word[0] | 0x20) &&
		    strncasecmp(bytes + i, word, size) == 0)
			return true;
	return false;
}
