#include "extract/metadata/metadata_byline.h"

#include <stdint.h>

#include "extract/metadata/metadata_month.h"

enum {
	MAX_NAME = 80,
	MAX_ROLE =
		30, /* maximum bytes before a "by" that is not the first word */
};

/* Return true for a capital, or a non-ASCII letter. */
static bool is_capital(char byte)
{
	return (byte >= 'A' && byte <= 'Z') || (unsigned char)byte >= 0x80;
}

static bool is_listed_word(struct slice text, const char *const *words,
			   size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (text.size == strlen(words[i]) &&
		    strncasecmp(text.data, words[i], text.size) == 0)
			return true;
	return false;
}

#define IS_LISTED(text, words) \
	is_listed_word((text), (words), sizeof(words) / sizeof((words)[0]))

static bool word_has_digit(struct slice word)
{
	const char *bytes = word.data;

	for (size_t i = 0; i < word.size; i++)
		if (bytes[i] >= '0' && bytes[i] <= '9')
			return true;
	return false;
}

static bool has_letter(struct slice text)
{
	const char *bytes = text.data;

	for (size_t i = 0; i < text.size; i++)
		if ((unsigned char)((bytes[i] | 0x20) - 'a') < 26 ||
		    (unsigned char)bytes[i] >= 0x80)
			return true;
	return false;
}

/* Return the first word, up to a space. */
static struct slice first_word(struct slice text)
{
	const char *space = memchr(text.data, ' ', text.size);

	if (space != NULL)
		text.size = (size_t)(space - (const char *)text.data);
	return text;
}

/* Return true if the name ends before this word, which is not its first. */
static bool ends_name(struct slice word)
{
	static const char *const ends[] = {
		"on",
		"published",
		"posted",
		"updated",
		"last",
		"in",
		"for",
		"at",
		"min",
		"reviewed",
		"fact",
		"is",
		"edited",
		"|",
		"-",
		"\xE2\x80\x93",
		"\xE2\x80\x94",
		"\xC2\xB7",
		"\xE2\x80\xA2",
		"//",
		"am",
		"le",
		"el",
		"with",
	};

	return IS_LISTED(word, ends);
}

/* Return true for "5 March" or "March 5". */
static bool is_byline_date(struct slice text)
{
	struct slice word = first_word(text);
	const char *bytes = text.data;

	if (bytes[0] >= '0' && bytes[0] <= '9')
		return true;
	return text.size > word.size + 1 && bytes[word.size + 1] >= '0' &&
	       bytes[word.size + 1] <= '9' && month_of(word) != 0;
}

/* Return `text` without the part after the names. */
static struct slice cut_tail(struct slice text)
{
	const char *begin = text.data;
	size_t at = 0;

	while (at < text.size) {
		struct slice word =
			first_word((struct slice){begin + at, text.size - at});

		if (at > 0 && word.size > 0 &&
		    (ends_name(word) || is_byline_date((struct slice){
						begin + at, text.size - at})))
			break;
		at += word.size + 1;
	}
	if (at < text.size)
		text.size = at;
	return byline_trim(text);
}

/* Return the part after "by" of "Recipe by Ann Smith". */
static struct slice text_after_by(struct slice text)
{
	const char *by = memmem(text.data, text.size, " by ", 4);
	const char *begin = text.data;

	if (by == NULL || by - begin > MAX_ROLE)
		return text;
	return byline_trim(
		(struct slice){by + 4, (size_t)(begin + text.size - by - 4)});
}

/*
 * Return true for "PhD", "M.D.", "RN", "Jr.", "E-RYT 200": not a name by
 * itself.
 */
static bool is_degree(struct slice text)
{
	static const char *const degrees[] = {"phd",  "ph.d", "ph.d.", "jr",
					      "jr.",  "sr",   "sr.",   "esq",
					      "esq.", "inc",  "inc.",  "llc"};
	const char *bytes = text.data;

	if (IS_LISTED(text, degrees))
		return true;
	if (text.size > 12 || !has_letter(text))
		return false;
	for (size_t i = 0; i < text.size; i++)
		if ((unsigned char)bytes[i] >= 0x80 ||
		    (bytes[i] >= 'a' && bytes[i] <= 'z'))
			return false;
	return true;
}

static bool is_byline_address(struct slice text)
{
	return memmem(text.data, text.size, "://", 3) != NULL ||
	       memmem(text.data, text.size, "www.", 4) != NULL ||
	       memchr(text.data, '@', text.size) != NULL;
}

static bool is_nobody(struct slice text)
{
	static const char *const words[] = {
		"admin",     "administrator", "webmaster", "anonymous",
		"unknown",   "guest",         "user",      "root",
		"wordpress", "null",          "undefined", "none",
		"n/a",       "author",        "authors",   "by",
		"follow",    "ratio",         "default",   "siteadmin",
		"superuser", "name",
	};

	return IS_LISTED(text, words);
}

/* Return the bytes of the separator of two names at `text`, 0 without one. */
static size_t separator_size(struct slice text)
{
	static const char *const separators[] = {
		",",     ";",    " and ", " & ", " und ", " et ",
		" och ", " og ", " и ",   "、",  "，",    " + ",

	};

	for (size_t i = 0; i < sizeof(separators) / sizeof(separators[0]);
	     i++) {
		size_t size = strlen(separators[i]);

		if (text.size > size &&
		    strncasecmp(text.data, separators[i], size) == 0)
			return size;
	}
	return 0;
}

struct byline_name_list {
	struct slice *items; /* [max] */
	size_t count;
	size_t max;
	bool is_open; /* degrees may follow the last name */
	bool is_prose;
};

static void byline_add_name(struct byline_name_list *names, struct slice piece)
{
	struct slice name = byline_trim(piece);
	struct slice rest = byline_rest(name);

	if (rest.data != NULL)
		name = rest;
	if (names->is_prose)
		name = cut_tail(text_after_by(name));

	if (names->is_open && name.size > 0 && is_degree(name)) {
		struct slice *last = &names->items[names->count - 1];

		last->size = (size_t)((const char *)name.data + name.size -
				      (const char *)last->data);
		return;
	}
	names->is_open = name.size > 1 && has_letter(name) &&
			 name.size <= MAX_NAME && !is_byline_address(name) &&
			 !is_nobody(name) && names->count < names->max;
	if (names->is_open)
		names->items[names->count++] = name;
}

size_t byline_names(struct slice text, bool is_prose, struct slice *items,
		    size_t max)
{
	struct byline_name_list names = {
		.items = items, .max = max, .is_prose = is_prose};
	const char *bytes = text.data;
	size_t begin = 0;
	size_t at = 0;

	while (at < text.size) {
		size_t size = separator_size(
			(struct slice){bytes + at, text.size - at});

		if (size > 0)
			byline_add_name(&names, (struct slice){bytes + begin,
							       at - begin});
		at += size > 0 ? size : 1;
		if (size > 0)
			begin = at;
	}
	if (text.size > begin)
		byline_add_name(&names, (struct slice){bytes + begin,
						       text.size - begin});
	return names.count;
}

bool byline_is_person(struct slice name)
{
	static const char *const days[] = {"mon", "tue", "wed", "thu",
					   "fri", "sat", "sun"};
	const char *bytes = name.data;
	uint32_t words = 0;
	uint32_t lower = 0;

	if (name.size < 2 || name.size > MAX_NAME || word_has_digit(name) ||
	    IS_LISTED(name, days) || !is_capital(bytes[0]))
		return false;
	for (size_t at = 0; at < name.size;) {
		struct slice word =
			first_word((struct slice){bytes + at, name.size - at});

		words++;
		lower += !is_capital(bytes[at]);
		at += word.size + 1;
	}
	return words <= 5 && (lower <= 1 || words > 3); /* "de la Cruz" */
}
