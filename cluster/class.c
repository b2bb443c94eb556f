#include "cluster/class.h"

#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hash.h"

enum { MIN_GENERATED = 5 }; /* bytes */

static bool class_byte_is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\f' ||
	       byte == '\r';
}

static bool is_lower(char byte)
{
	return byte >= 'a' && byte <= 'z';
}

static bool class_byte_is_upper(char byte)
{
	return byte >= 'A' && byte <= 'Z';
}

static bool class_byte_is_separator(char byte)
{
	return byte == '-' || byte == '_';
}

static bool is_generated(const char *part, size_t length)
{
	size_t rises = 0;

	if (length < MIN_GENERATED)
		return false;
	for (size_t i = 1; i < length; i++) {
		if (is_digit(part[i - 1]) &&
		    (is_lower(part[i]) || class_byte_is_upper(part[i])))
			return true;
		rises += is_lower(part[i - 1]) && class_byte_is_upper(part[i]);
	}
	return rises >= 2 && rises * 3 >= length;
}

static size_t class_part_length(const char *text, size_t size)
{
	size_t length = 0;

	while (length < size && !class_byte_is_separator(text[length]))
		length++;
	return length;
}

/* Copy the part, with every run of digits replaced by one "0". */
static size_t fold_digits(const char *part, size_t length, char *out)
{
	size_t size = 0;

	for (size_t i = 0; i < length; i++) {
		if (!is_digit(part[i]))
			out[size++] = part[i];
		else if (i == 0 || !is_digit(part[i - 1]))
			out[size++] = '0';
	}
	assert(size <= length);
	return size;
}

/*
 * Return whether the part has no digit and no upper-case letter: only digits
 * are folded, and only with digits or upper case a part looks generated.
 */
static bool class_name_is_plain(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (is_digit(text[i]) || class_byte_is_upper(text[i]))
			return false;
	}
	return true;
}

size_t class_normalise(struct slice name, char *out)
{
	const char *text = name.data;
	size_t end = name.size < CLASS_MAX_BYTES ? name.size : CLASS_MAX_BYTES;
	size_t size = 0;

	if (class_name_is_plain(text, end)) {
		if (end > 0)
			memcpy(out, text, end);
		return end;
	}
	for (size_t at = 0; at < end; at++) {
		size_t length = class_part_length(text + at, end - at);

		if (at > 0 && is_generated(text + at, length))
			out[size++] = '*';
		else
			size += fold_digits(text + at, length, out + size);
		at += length;
		if (at < end)
			out[size++] = text[at];
	}
	assert(size <= CLASS_MAX_BYTES);
	return size;
}

/* Keep the smallest `max` hashes, ascending and distinct. */
static size_t insert_smallest(uint64_t *hashes, size_t count, size_t max,
			      uint64_t hash)
{
	size_t at = 0;

	while (at < count && hashes[at] < hash)
		at++;
	if (at == max || (at < count && hashes[at] == hash))
		return count;
	if (count == max)
		count--;
	memmove(hashes + at + 1, hashes + at, (count - at) * sizeof(*hashes));
	assert(count < max && at <= count);
	hashes[at] = hash;
	return count + 1;
}

bool class_next(struct slice *classes, struct slice *name_out)
{
	const char *text = classes->data;
	size_t begin = 0;
	size_t end;

	while (begin < classes->size && class_byte_is_space(text[begin]))
		begin++;
	end = begin;
	while (end < classes->size && !class_byte_is_space(text[end]))
		end++;
	if (end == begin)
		return false;
	assert(begin < end && end <= classes->size);
	*name_out = (struct slice){text + begin, end - begin};
	*classes = (struct slice){text + end, classes->size - end};
	return true;
}

size_t class_tokens(struct slice classes, uint64_t *hashes_out, size_t max)
{
	char name[CLASS_MAX_BYTES];
	struct slice raw;
	size_t count = 0;

	while (class_next(&classes, &raw)) {
		size_t size = class_normalise(raw, name);

		count = insert_smallest(hashes_out, count, max,
					hash64(name, size, 0));
	}
	assert(count <= max);
	return count;
}

uint64_t class_hash(struct slice classes, uint64_t seed)
{
	uint64_t hashes[CLASS_MAX_NAMES];
	size_t count = class_tokens(classes, hashes, CLASS_MAX_NAMES);

	return count == 0 ? seed
			  : hash64(hashes, count * sizeof(*hashes), seed);
}
