#include "page/mojibake.h"

#include <stdbool.h>
#include <string.h>

#include "page/utf8.h"

enum {
	MAX_SEQUENCE = 4,
	MAX_ROUNDS = 2, /* what was encoded three times */
	MIN_SEQUENCES = 4,
	MIN_RATIO = 3, /* of sequences to other characters */
	NBSP = 0xA0,
	TIMES = 0xD7, /* the one lead of two bytes that is no capital letter */
};

struct sequence {
	size_t size;              /* bytes of the text */
	char bytes[MAX_SEQUENCE]; /* [length]: the character */
	size_t length;
	bool has_control;
};

struct survey {
	size_t sequences;
	size_t sure; /* of these, those that are no chance */
	size_t controls;
	size_t others;
};

/* The byte over 127 that is read as `code`; 0: none is. */
static unsigned byte_of(uint32_t code)
{
	if (code >= 0x80 && code <= 0xFF)
		return code;
	for (unsigned byte = 0x80; byte < 0xA0; byte++)
		if (utf8_from_windows_1252((unsigned char)byte) == code)
			return byte;
	return 0;
}

static size_t length_of(uint32_t lead)
{
	if (lead < 0xC2 || lead > 0xF4)
		return 0;
	if (lead < 0xE0)
		return 2;
	return lead < 0xF0 ? 3 : 4;
}

static bool read_sequence(const char *text, const char *end,
			  struct sequence *sequence_out)
{
	const unsigned char *at = (const unsigned char *)text;
	const unsigned char *stop = (const unsigned char *)end;
	struct sequence sequence = {0};
	struct utf8_count count;
	uint32_t code = utf8_next(&at, stop);

	sequence.length = length_of(code);
	if (sequence.length == 0)
		return false;
	sequence.bytes[0] = (char)code;
	for (size_t i = 1; i < sequence.length; i++) {
		if (at == stop || *at < 0x80)
			return false;
		code = utf8_next(&at, stop);
		sequence.bytes[i] = (char)byte_of(code);
		sequence.has_control |= code < 0xA0;
	}
	count = utf8_check((struct slice){sequence.bytes, sequence.length});
	sequence.size = (size_t)((const char *)at - text);
	*sequence_out = sequence;
	return count.sequences == 1 && count.invalid == 0;
}

static bool is_small(char byte)
{
	return byte >= 'a' && byte <= 'z';
}

/* Decoded on any page. */
static bool is_impossible(const struct sequence *sequence)
{
	return sequence->length > 2 && sequence->has_control;
}

/* The sequence at `at`; `last`: where the one before it ended. */
static bool is_sure(const struct sequence *sequence, const char *begin,
		    const char *at, const char *last, const char *end)
{
	const char *behind = at + sequence->size;

	if (sequence->length > 2 || at == last)
		return true;
	return (unsigned char)sequence->bytes[0] != TIMES &&
	       ((at > begin && is_small(at[-1])) ||
		(behind < end && is_small(*behind)));
}

static struct survey look_at(const char *text, size_t size)
{
	const char *end = text + size;
	const char *last = NULL;
	struct survey survey = {0};
	struct sequence sequence;

	for (const char *at = text; at < end;) {
		const unsigned char *next = (const unsigned char *)at;

		if ((unsigned char)*at < 0x80) {
			at++;
		} else if (read_sequence(at, end, &sequence)) {
			survey.sequences++;
			survey.sure += is_sure(&sequence, text, at, last, end);
			survey.controls += is_impossible(&sequence);
			at += sequence.size;
			last = at;
		} else {
			survey.others +=
				utf8_next(&next, (const unsigned char *)end) !=
				NBSP;
			at = (const char *)next;
		}
	}
	return survey;
}

static bool is_whole(struct survey survey)
{
	return survey.sequences >= MIN_SEQUENCES &&
	       survey.sequences >= MIN_RATIO * survey.others &&
	       2 * survey.sure >= survey.sequences;
}

/* What is decoded is shorter, so that it can be written over the text. */
static size_t decode(char *text, size_t size, bool is_all)
{
	const char *end = text + size;
	const char *at = text;
	char *out = text;
	struct sequence sequence;

	while (at < end) {
		if ((unsigned char)*at >= 0x80 &&
		    read_sequence(at, end, &sequence) &&
		    (is_all || is_impossible(&sequence))) {
			memcpy(out, sequence.bytes, sequence.length);
			out += sequence.length;
			at += sequence.size;
		} else {
			*out++ = *at++;
		}
	}
	return (size_t)(out - text);
}

/*
 * Whether a sequence may be there: all leads, U+00C2..U+00F4, begin with C3 and
 * a character over U+007F follows them. Nearly no page needs another look.
 */
static bool may_have(const char *text, size_t size)
{
	const char *end = text + size;
	const char *at = size == 0 ? NULL : memchr(text, 0xC3, size);

	while (at != NULL && end - at > 2) {
		if ((unsigned char)at[1] >= 0x82 &&
		    (unsigned char)at[2] >= 0x80)
			return true;
		at++;
		at = memchr(at, 0xC3, (size_t)(end - at));
	}
	return false;
}

size_t mojibake_repair(char *text, size_t size)
{
	for (unsigned round = 0; round < MAX_ROUNDS; round++) {
		struct survey survey;

		if (!may_have(text, size))
			break;
		survey = look_at(text, size);
		if (!is_whole(survey) && survey.controls == 0)
			break;
		size = decode(text, size, is_whole(survey));
	}
	return size;
}
