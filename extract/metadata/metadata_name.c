#include "extract/metadata/metadata_name.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "extract/text/character_class.h"

enum {
	MAX_FOLDED = 1024,
	MAX_CUTS = 8,  /* maximum number of parts removed from a title */
	MIN_SHARED = 4 /* minimum bytes of a name inside another name */
};

static enum character_class character_class_at(uint32_t code)
{
	return code < 0x80 ? (enum character_class)character_class_of_byte[code]
			   : character_class_of(code);
}

static uint32_t lower_letter(uint32_t code)
{
	if (code >= 0x80)
		return character_lower(code);
	return code >= 'A' && code <= 'Z' ? code + 32 : code;
}

struct slice name_fold(struct arena *arena, struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end;
	char *out;
	size_t size = 0;

	if (text.size == 0)
		return (struct slice){"", 0};
	if (text.size > MAX_FOLDED)
		text.size = MAX_FOLDED;
	end = at + text.size;
	/* folding makes at most two bytes of one, for the Turkish "i" */
	out = arena_alloc(arena, text.size + 4, 2);
	while (at < end) {
		uint32_t code = utf8_next(&at, end);

		if (character_class_at(code) >= CHARACTER_LETTER)
			size += utf8_encode(lower_letter(code), out + size);
	}
	return (struct slice){out, size};
}

/*
 * Return true for letters of scripts without spaces, which are words by
 * themselves.
 */
static bool is_single(enum character_class class)
{
	return class == CHARACTER_HAN || class == CHARACTER_THAI;
}

struct title_words title_words_of(struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at == NULL ? NULL : at + text.size;
	struct title_words words = {.count = 0};
	uint64_t hash = 0;

	while (at < end && words.count < MAX_TITLE_WORDS) {
		uint32_t code = utf8_next(&at, end);
		enum character_class class = character_class_at(code);

		if (hash != 0 &&
		    (class < CHARACTER_LETTER || is_single(class))) {
			words.words[words.count++] = hash;
			hash = 0;
		}
		if (class < CHARACTER_LETTER)
			continue;
		code = lower_letter(code);
		hash = hash64(&code, sizeof(code), hash);
		if (is_single(class) && words.count < MAX_TITLE_WORDS) {
			words.words[words.count++] = hash;
			hash = 0;
		}
	}
	if (hash != 0 && words.count < MAX_TITLE_WORDS)
		words.words[words.count++] = hash;
	return words;
}

static bool title_has_word(const struct title_words *words, uint64_t word)
{
	for (size_t i = 0; i < words->count; i++)
		if (words->words[i] == word)
			return true;
	return false;
}

double title_overlap(const struct title_words *a, const struct title_words *b)
{
	size_t shared = 0;

	if (a->count == 0 || b->count == 0)
		return 0;
	for (size_t i = 0; i < a->count; i++)
		shared += title_has_word(b, a->words[i]);
	for (size_t i = 0; i < b->count; i++)
		shared += title_has_word(a, b->words[i]);
	return (double)shared / (double)(a->count + b->count);
}

/* Return the host of an address, or empty. */
static struct slice host_of_address(struct slice url)
{
	const char *begin =
		url.size < 3 ? NULL : memmem(url.data, url.size, "://", 3);
	const char *end;
	const char *at;

	if (begin == NULL)
		return (struct slice){"", 0};
	begin += 3;
	end = (const char *)url.data + url.size;
	for (at = begin; at < end && strchr("/?#:", *at) == NULL;)
		at++;
	return (struct slice){begin, (size_t)(at - begin)};
}

/*
 * Return the longest label before the last one (a country or another top-level
 * domain).
 */
static struct slice longest_label(struct slice host)
{
	const char *at = host.data;
	const char *end = at + host.size;
	struct slice longest = {"", 0};

	while (at < end) {
		const char *dot = memchr(at, '.', (size_t)(end - at));

		if (dot == NULL)
			break;
		if ((size_t)(dot - at) >= longest.size)
			longest = (struct slice){at, (size_t)(dot - at)};
		at = dot + 1;
	}
	return longest;
}

struct site_names site_names_of(struct arena *arena, struct slice name,
				struct slice url)
{
	struct slice host = host_of_address(url);

	return (struct site_names){
		.name = name_fold(arena, name),
		.host = name_fold(arena, host),
		.domain = name_fold(arena, longest_label(host)),
	};
}

static bool name_contains(struct slice text, struct slice part)
{
	return part.size > 0 && text.size >= part.size &&
	       memmem(text.data, text.size, part.data, part.size) != NULL;
}

bool site_is_named(struct arena *arena, const struct site_names *site,
		   struct slice part)
{
	struct slice name = name_fold(arena, part);

	if (name.size == 0 || slice_equal(name, site->name))
		return true;
	if (name_contains(name, site->name) && name.size < 2 * site->name.size)
		return true;
	if (name.size >= MIN_SHARED && (name_contains(site->name, name) ||
					name_contains(site->host, name)))
		return true;
	return site->domain.size >= MIN_SHARED &&
	       name_contains(name, site->domain) &&
	       name.size < 3 * site->domain.size;
}

/*
 * A separator: where the part before it ends, and where the part after it
 * begins.
 */
struct title_separator {
	size_t end;
	size_t begin; /* 0: no separator */
	bool is_firm; /* the part after "|" is never part of the title; the part
			 after a dash may be */
};

/* Signs that separate parts if spaces are around them. */
static const struct {
	const char *sign;
	bool is_firm;
	bool is_alone; /* also separates without spaces */
} signs[] = {
	{"|", true, true},   {"»", true, true},   {"«", true, true},
	{"::", true, false}, {"/", true, false},  {"-", false, false},
	{"–", false, false}, {"—", false, false}, {"·", false, false},
	{"•", false, false}, {"~", false, false},
};

/* Return the separator whose sign is at byte `at` >= 1. */
static struct title_separator title_separator_at(struct slice title, size_t at)
{
	const char *bytes = title.data;

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		size_t size = strlen(signs[i].sign);
		size_t end = at + size;
		bool is_before = bytes[at - 1] == ' ';
		bool is_behind = end < title.size && bytes[end] == ' ';

		if (end < title.size &&
		    memcmp(bytes + at, signs[i].sign, size) == 0 &&
		    (signs[i].is_alone || (is_before && is_behind)))
			return (struct title_separator){at - is_before,
							end + is_behind,
							signs[i].is_firm};
	}
	return (struct title_separator){0};
}

static bool is_cut_off(struct arena *arena, const struct site_names *site,
		       struct slice other, struct slice part)
{
	return site_is_named(arena, site, part) ||
	       (other.size > 0 && slice_equal(name_fold(arena, part), other));
}

/* Find the first and the last separator. */
static void find_title_separators(struct slice title,
				  struct title_separator *first,
				  struct title_separator *last)
{
	*first = *last = (struct title_separator){0};
	for (size_t i = 1; i < title.size; i++) {
		struct title_separator cut = title_separator_at(title, i);

		if (cut.begin == 0)
			continue;
		if (first->begin == 0)
			*first = cut;
		*last = cut;
		i = cut.begin - 1;
	}
}

struct slice title_without_site(struct arena *arena,
				const struct site_names *site,
				struct slice other, struct slice title)
{
	struct title_separator first;
	struct title_separator last;

	for (size_t i = 0; i < MAX_CUTS; i++) {
		const char *bytes = title.data;

		find_title_separators(title, &first, &last);
		if (last.begin == 0 || last.end == 0)
			break;
		if (is_cut_off(arena, site, other,
			       (struct slice){bytes + last.begin,
					      title.size - last.begin}) ||
		    (last.is_firm && !first.is_firm))
			title.size = last.end;
		else if (is_cut_off(arena, site, other,
				    (struct slice){bytes, first.end}))
			title = (struct slice){bytes + first.begin,
					       title.size - first.begin};
		else if (first.is_firm)
			title.size = first.end;
		else
			break;
	}
	return title;
}
