#include "cluster/class_name.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "page/scanner.h"

/*
 * The letters that follow each letter in class names that people write, as
 * bits: the 314 pairs that more than a quarter of 45 sites have. 5 % of six
 * random letters consist of such pairs only.
 */
static const uint32_t follows[26] = {
	0x1feb94e, 0x11efb51, 0x11a4d95, 0x11e595d, 0x1eff9ff, 0x11a4931,
	0x01669d1, 0x11a4911, 0x2befc7f, 0x0140011, 0x10c0118, 0x11cc959,
	0x014f95b, 0x03cedfd, 0x0fefd6f, 0x11ec999, 0x0100000, 0x13efd7f,
	0x15fdd95, 0x15ef997, 0x00ef917, 0x0000113, 0x006e191, 0x0088814,
	0x04ef811, 0x0004010,
};

/* The prefixes of tools that write a hash after them, whatever its letters. */
static const char *const tool_prefixes[] = {
	"astro-", "css-",     "emotion-", "jsx-",
	"jss-",   "linaria-", "svelte-",  "tss-",
};

enum {
	MIN_GENERATED = 5, /* bytes of a part that may look generated */
	MIN_HASH = 5,      /* bytes of hashes of most tools */
	MAX_HASH = 12,
	MAX_LOADER_HASH = 8, /* of css-loader */
	SHORT_HASH = 4,      /* of Docusaurus */
	MAX_WHOLE_HASH = 8,  /* of a name that is a hash */
};

static bool is_lower(char byte)
{
	return byte >= 'a' && byte <= 'z';
}

static bool is_separator(char byte)
{
	return byte == '-' || byte == '_' || byte == ':';
}

/* What the bytes of a part of a name say about it. */
struct part_look {
	size_t digits;
	size_t lower;
	size_t upper;
	size_t odd;    /* neighbouring letters that no word has */
	size_t rises;  /* from lower to upper case */
	size_t mixed;  /* letters after a digit */
	size_t others; /* neither letter nor digit */
};

static struct part_look look_at(const char *part, size_t length)
{
	struct part_look look = {0};

	for (size_t i = 0; i < length; i++) {
		char byte = part[i];
		char before = part[i == 0 ? 0 : i - 1];

		look.digits += is_digit(byte);
		look.lower += is_lower(byte);
		look.upper += is_upper(byte);
		look.others += !is_digit(byte) && !is_letter(byte);
		look.rises += is_lower(before) && is_upper(byte);
		look.mixed += is_digit(before) && is_letter(byte);
		look.odd += i > 0 && is_letter(before) && is_letter(byte) &&
			    (follows[(before | 0x20) - 'a'] >>
				     ((byte | 0x20) - 'a') &
			     1) == 0;
	}
	return look;
}

/* Return whether a part where a tool may write a hash is one: no word. */
static bool is_hash(const char *part, size_t length)
{
	struct part_look look = look_at(part, length);

	if (look.digits > 0)
		return look.mixed > 0 || look.odd > 0 || look.upper > 0;
	if (look.upper == 0)
		return look.odd > 1;
	/* a capital at the beginning only, or all capitals, may be a word */
	if ((look.upper == 1 && is_upper(part[0])) || look.lower == 0)
		return look.odd > 0;
	return true;
}

/* Part of a name: bytes begin to end - 1. */
struct name_part {
	size_t begin;
	size_t end;
};

/* Find the hash after the prefix of a tool, or an empty part. */
static struct name_part hash_after_prefix(const char *text, size_t size)
{
	struct name_part part = {0, 0};
	bool is_sure = false;

	for (size_t i = 0;
	     i < sizeof(tool_prefixes) / sizeof(*tool_prefixes) && !is_sure;
	     i++) {
		part.begin = strlen(tool_prefixes[i]);
		is_sure = size > part.begin &&
			  memcmp(text, tool_prefixes[i], part.begin) == 0;
	}
	if (!is_sure && size > 3 && memcmp(text, "sc-", 3) == 0)
		part.begin = 3;
	else if (!is_sure)
		return (struct name_part){0, 0};
	part.end = part.begin;
	while (part.end < size && !is_separator(text[part.end]))
		part.end++;
	if (part.end - part.begin < MIN_HASH ||
	    part.end - part.begin > MAX_HASH ||
	    look_at(text + part.begin, part.end - part.begin).others > 0 ||
	    (!is_sure && !is_hash(text + part.begin, part.end - part.begin)))
		return (struct name_part){0, 0};
	return part;
}

/* Find the hash and the line in Vite's _local_hash_line, or an empty part. */
static struct name_part hash_of_vite(const char *text, size_t size)
{
	size_t line = size;
	size_t hash;

	while (line > 0 && is_digit(text[line - 1]))
		line--;
	if (text[0] != '_' || line == size || line < 2 || text[line - 1] != '_')
		return (struct name_part){0, 0};
	hash = line - 1;
	while (hash > 0 && !is_separator(text[hash - 1]))
		hash--;
	if (hash < 3 || text[hash - 1] != '_' || line - 1 - hash != MIN_HASH)
		return (struct name_part){0, 0};
	return (struct name_part){hash, size};
}

/* Find the hash after "__" or one "_" at the end, or an empty part. */
static struct name_part hash_at_end(const char *text, size_t size)
{
	size_t begin = size;
	size_t length;

	/* the hash may contain separators itself */
	for (size_t i = size - 1; i >= 1 && size - i <= MAX_LOADER_HASH + 1;
	     i--)
		if (text[i] == '_' && text[i - 1] == '_')
			begin = i + 1;
	length = size - begin;
	if (length >= MIN_HASH && length <= MAX_LOADER_HASH)
		return is_hash(text + begin, length)
			       ? (struct name_part){begin, size}
			       : (struct name_part){0, 0};
	if (begin < size)
		return (struct name_part){0, 0};
	for (length = SHORT_HASH; length <= MIN_HASH; length++)
		if (size > length + 1 && text[size - length - 1] == '_' &&
		    !is_separator(text[size - length - 2]) &&
		    text[size - length] != '_' &&
		    look_at(text, size - length - 1).others == 0 &&
		    is_hash(text + size - length, length))
			return (struct name_part){size - length, size};
	return (struct name_part){0, 0};
}

/* Return whether the whole name is a hash. */
static bool is_whole_hash(const char *text, size_t size)
{
	struct part_look look;

	if (size < MIN_HASH || size > MAX_WHOLE_HASH)
		return false;
	look = look_at(text, size);
	if (look.others > 0)
		return false;
	if (text[0] == 'x' && look.upper == 0 && size > MIN_HASH + 1)
		return look.mixed > 0 || look.odd > 0;
	return look.digits == 0 && look.rises > 0 && look.odd > 0 &&
	       (is_upper(text[size - 1]) || look.upper * 3 >= size ||
		look.odd > 1);
}

/* Kinds of bytes in class names. */
enum {
	BYTE_SPACE = 1,
	BYTE_DIGIT = 2,
	BYTE_UPPER = 4,
	BYTE_UNDERSCORE = 8,
};

static const unsigned char byte_kinds[UINT8_MAX + 1] = {
	['\t'] = BYTE_SPACE,        ['\n'] = BYTE_SPACE,
	['\f'] = BYTE_SPACE,        ['\r'] = BYTE_SPACE,
	[' '] = BYTE_SPACE,         ['0' ... '9'] = BYTE_DIGIT,
	['A' ... 'Z'] = BYTE_UPPER, ['_'] = BYTE_UNDERSCORE,
};

static unsigned byte_kind(char byte)
{
	return byte_kinds[(unsigned char)byte];
}

/* Return the kinds of all bytes. */
static unsigned kinds_of(const char *text, size_t size)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < size; i++)
		kinds |= byte_kind(text[i]);
	return kinds;
}

/* Return whether another part looks generated: see class_normalise(). */
static bool is_generated(const char *part, size_t length)
{
	struct part_look look;

	if (length < MIN_GENERATED ||
	    (kinds_of(part, length) & (BYTE_DIGIT | BYTE_UPPER)) == 0)
		return false;
	look = look_at(part, length);
	return look.mixed > 0 || (look.rises >= 2 && look.rises * 3 >= length);
}

static size_t class_part_length(const char *text, size_t size)
{
	size_t length = 0;

	while (length < size && !is_separator(text[length]))
		length++;
	return length;
}

/*
 * Copy the part of a class name to `out`, with every run of digits replaced by
 * one "0". Return the new length.
 */
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
 * Return whether the name obviously needs no normalisation: it has no digit, no
 * upper-case letter, and no hash of StyleX or another tool.
 */
static bool class_name_is_plain(const char *text, size_t size)
{
	const unsigned kinds = kinds_of(text, size);

	if ((kinds & (BYTE_DIGIT | BYTE_UPPER)) != 0)
		return false;
	if (size == 0 || strchr("acejlstx", text[0]) == NULL)
		return true;
	return text[0] != 'x' && (kinds & BYTE_UNDERSCORE) == 0 &&
	       hash_after_prefix(text, size).end == 0;
}

size_t class_normalise(struct slice name, char *out)
{
	const char *text = name.data;
	size_t end = name.size < CLASS_MAX_BYTES ? name.size : CLASS_MAX_BYTES;
	struct name_part hash;
	size_t size = 0;

	if (class_name_is_plain(text, end)) {
		if (end > 0)
			memcpy(out, text, end);
		return end;
	}
	if (is_whole_hash(text, end)) {
		out[0] = '*';
		return 1;
	}
	hash = hash_after_prefix(text, end);
	if (hash.end == 0)
		hash = hash_of_vite(text, end);
	if (hash.end == 0)
		hash = hash_at_end(text, end);
	for (size_t at = 0; at < end; at++) {
		size_t length = class_part_length(text + at, end - at);

		if (at == hash.begin && hash.end > 0)
			length = hash.end - at;
		if ((at == hash.begin && hash.end > 0) ||
		    (at > 0 && is_generated(text + at, length)))
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

/*
 * Insert `hash` into `hashes`, which are ascending and distinct, and keep only
 * the `max` smallest. Return the new number.
 */
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

struct class_shape class_shape_of(struct slice name)
{
	const char *text = name.data;
	size_t begin = name.size;
	struct class_shape shape = {.separator = 0};
	struct part_look look;

	while (begin > 0 && text[begin - 1] != '-' && text[begin - 1] != '_')
		begin--;
	shape.tail = name.size - begin;
	if (begin > 0)
		shape.separator = text[begin - 1];
	if (begin > 1 && text[begin - 1] == '_' && text[begin - 2] == '_')
		shape.separator = '=';
	look = look_at(text + begin, shape.tail);
	shape.is_generated = look.mixed > 0 || look.odd > 0 || look.rises > 1 ||
			     (look.digits > 0 && look.lower + look.upper > 0 &&
			      look.lower + look.upper < 3);
	return shape;
}

bool class_name_next(struct slice *classes, struct slice *name_out)
{
	const char *text = classes->data;
	size_t begin = 0;
	size_t end;

	while (begin < classes->size && byte_kind(text[begin]) == BYTE_SPACE)
		begin++;
	end = begin;
	while (end < classes->size && byte_kind(text[end]) != BYTE_SPACE)
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

	while (class_name_next(&classes, &raw)) {
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
