#include "page/mojibake.h"

#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "page/entity.h"

enum {
	MAX_SEQUENCE = 4,
	MAX_REFERENCE = 8, /* "&Ccedil;" */
	MAX_ROUNDS = 2,    /* for text that was encoded three times */
	MIN_SEQUENCES = 4,
	MIN_RATIO = 3, /* required ratio of sequences to other characters */
	NBSP = 0xA0,
	TIMES = 0xD7, /* the only lead of two bytes that is no capital letter */
};

struct mojibake_sequence {
	size_t size;              /* bytes in the text */
	char bytes[MAX_SEQUENCE]; /* [length] the decoded character */
	size_t length;
	bool has_control;
};

struct mojibake_survey {
	size_t sequences;
	size_t sure; /* sequences that cannot be chance */
	size_t controls;
	size_t others;
};

/* Return the byte over 127 that was decoded as `code`, or 0. */
static unsigned byte_of(uint32_t code)
{
	if (code >= 0x80 && code <= 0xFF)
		return code;
	for (unsigned byte = 0x80; byte < 0xA0; byte++)
		if (utf8_from_windows_1252((unsigned char)byte) == code)
			return byte;
	return 0;
}

/* Return the length of the reference at `at`, with "&" and ";", or 0. */
static size_t mojibake_reference_size(const char *at, const char *end)
{
	size_t size = 1;

	if (*at != '&')
		return 0;
	while (size < MAX_REFERENCE && at + size < end &&
	       (is_alphanumeric(at[size]) || at[size] == '#'))
		size++;
	return at + size < end && at[size] == ';' ? size + 1 : 0;
}

/*
 * Return the character at *at, which may be a reference, and move *at after it.
 */
static uint32_t mojibake_read_character(const char **at, const char *end)
{
	size_t size = mojibake_reference_size(*at, end);
	char decoded[2 * (MAX_REFERENCE + 1)];
	const unsigned char *next = (const unsigned char *)*at;
	uint32_t code;

	if (size > 0) {
		size_t length = entity_decode((struct slice){*at, size}, false,
					      decoded);
		const unsigned char *first = (const unsigned char *)decoded;

		code = utf8_next(&first, first + length);
		if (length < size && code >= 0x80) {
			*at += size;
			return code;
		}
	}
	code = utf8_next(&next, (const unsigned char *)end);
	*at = (const char *)next;
	return code;
}

/* Return whether a character over U+007F may begin with the byte. */
static bool mojibake_byte_may_begin(char byte)
{
	return (unsigned char)byte >= 0x80 || byte == '&';
}

static size_t length_of(uint32_t lead)
{
	if (lead < 0xC2 || lead > 0xF4)
		return 0;
	if (lead < 0xE0)
		return 2;
	return lead < 0xF0 ? 3 : 4;
}

static bool mojibake_read_sequence(const char *text, const char *end,
				   struct mojibake_sequence *sequence_out)
{
	const char *at = text;
	struct mojibake_sequence sequence = {0};
	struct utf8_count count;
	uint32_t code = mojibake_read_character(&at, end);

	sequence.length = length_of(code);
	if (sequence.length == 0)
		return false;
	sequence.bytes[0] = (char)code;
	for (size_t i = 1; i < sequence.length; i++) {
		if (at == end || !mojibake_byte_may_begin(*at))
			return false;
		code = mojibake_read_character(&at, end);
		sequence.bytes[i] = (char)byte_of(code);
		sequence.has_control |= code < 0xA0;
	}
	count = utf8_check((struct slice){sequence.bytes, sequence.length});
	sequence.size = (size_t)(at - text);
	*sequence_out = sequence;
	return count.sequences == 1 && count.invalid == 0;
}

static bool mojibake_is_small_letter(char byte)
{
	return byte >= 'a' && byte <= 'z';
}

/*
 * Return whether valid text cannot contain the sequence: decode it on any page.
 */
static bool is_impossible(const struct mojibake_sequence *sequence)
{
	return sequence->length > 2 && sequence->has_control;
}

/*
 * Return whether the sequence at `at` cannot be chance; `last` is the end of
 * the previous one.
 */
static bool is_sure(const struct mojibake_sequence *sequence, const char *begin,
		    const char *at, const char *last, const char *end)
{
	const char *behind = at + sequence->size;

	if (sequence->length > 2 || at == last)
		return true;
	return (unsigned char)sequence->bytes[0] != TIMES &&
	       ((at > begin && mojibake_is_small_letter(at[-1])) ||
		(behind < end && mojibake_is_small_letter(*behind)));
}

static struct mojibake_survey mojibake_survey_text(const char *text,
						   size_t size)
{
	const char *end = text + size;
	const char *last = NULL;
	struct mojibake_survey survey = {0};
	struct mojibake_sequence sequence;

	for (const char *at = text; at < end;) {
		if (!mojibake_byte_may_begin(*at)) {
			at++;
		} else if (mojibake_read_sequence(at, end, &sequence)) {
			survey.sequences++;
			survey.sure += is_sure(&sequence, text, at, last, end);
			survey.controls += is_impossible(&sequence);
			at += sequence.size;
			last = at;
		} else {
			uint32_t code = mojibake_read_character(&at, end);

			survey.others += code >= 0x80 && code != NBSP;
		}
	}
	return survey;
}

static bool mojibake_decode_all(struct mojibake_survey survey)
{
	return survey.sequences >= MIN_SEQUENCES &&
	       survey.sequences >= MIN_RATIO * survey.others &&
	       2 * survey.sure >= survey.sequences;
}

/* Decode in place: the decoded text is shorter. */
static size_t mojibake_decode(char *text, size_t size, bool is_all)
{
	const char *end = text + size;
	const char *at = text;
	char *out = text;
	struct mojibake_sequence sequence;

	while (at < end) {
		if (mojibake_byte_may_begin(*at) &&
		    mojibake_read_sequence(at, end, &sequence) &&
		    (is_all || is_impossible(&sequence))) {
			memcpy(out, sequence.bytes, sequence.length);
			out += sequence.length;
			at += sequence.size;
		} else {
			do /* a sequence begins with a whole character */
				*out++ = *at++;
			while (at < end && ((unsigned char)*at & 0xC0) == 0x80);
		}
	}
	return (size_t)(out - text);
}

/*
 * Return whether the text may contain a sequence: all leads, U+00C2..U+00F4,
 * begin with the byte C3, and a character over U+007F follows them. Excludes
 * nearly all pages quickly.
 */
static bool may_have_raw(const char *text, size_t size)
{
	const char *end = text + size;
	const char *at = memchr(text, 0xC3, size);

	while (at != NULL && end - at > 2) {
		if ((unsigned char)at[1] >= 0x82 &&
		    mojibake_byte_may_begin(at[2]))
			return true;
		at++;
		at = memchr(at, 0xC3, (size_t)(end - at));
	}
	return false;
}

/* Return the same for a lead that is written as a reference. */
static bool may_have_references(const char *text, size_t size)
{
	const char *end = text + size;
	const char *at = memchr(text, '&', size);
	struct mojibake_sequence sequence;

	while (at != NULL) {
		size_t length = mojibake_reference_size(at, end);

		if (length > 0 && at + length < end &&
		    mojibake_byte_may_begin(at[length]) &&
		    mojibake_read_sequence(at, end, &sequence))
			return true;
		at++;
		at = memchr(at, '&', (size_t)(end - at));
	}
	return false;
}

size_t mojibake_repair(char *text, size_t size)
{
	for (unsigned round = 0; round < MAX_ROUNDS; round++) {
		struct mojibake_survey survey;

		if (size == 0 || (!may_have_raw(text, size) &&
				  !may_have_references(text, size)))
			break;
		survey = mojibake_survey_text(text, size);
		if (!mojibake_decode_all(survey) && survey.controls == 0)
			break;
		size = mojibake_decode(text, size, mojibake_decode_all(survey));
	}
	return size;
}
