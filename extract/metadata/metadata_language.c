#include "extract/metadata/metadata_language.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/limit.h"
#include "base/utf8.h"

enum {
	MAX_READ = LIMIT(1 << 16, 512)
}; /* bytes of text for guessing the script */

/* Scripts that only one language uses; and Han, where kana decide. */
static const struct {
	uint32_t first, last;
	const char *language;
} scripts[] = {
	{0x370, 0x3FF, "el"},   {0x530, 0x58F, "hy"},   {0x590, 0x5FF, "he"},
	{0xB80, 0xBFF, "ta"},   {0xC00, 0xC7F, "te"},   {0xE00, 0xE7F, "th"},
	{0xE80, 0xEFF, "lo"},   {0x1000, 0x109F, "my"}, {0x10A0, 0x10FF, "ka"},
	{0x1780, 0x17FF, "km"}, {0x3040, 0x30FF, "ja"}, {0x4E00, 0x9FFF, "zh"},
	{0xAC00, 0xD7AF, "ko"},
};

enum { SCRIPTS = sizeof(scripts) / sizeof(scripts[0]), KANA = 10, HAN = 11 };

static size_t script_of(uint32_t code)
{
	size_t i = 0;

	while (i < SCRIPTS &&
	       (code < scripts[i].first || code > scripts[i].last))
		i++;
	return i;
}

/*
 * Return the language if at least half of the letters are in its script.
 * Japanese: there is more than one kana for ten Han characters.
 */
static const char *guess_language(const struct page *page)
{
	uint32_t counts[SCRIPTS + 1] = {0};
	const unsigned char *at = (const unsigned char *)page->text;
	size_t size = page->text_bytes < MAX_READ ? page->text_bytes : MAX_READ;
	const unsigned char *end = at + size;
	uint32_t letters = 0;
	size_t best = 0;

	while (at < end) {
		uint32_t code = utf8_next(&at, end);

		if (code < 'A' || (code < 0x80 && (code | 0x20) > 'z'))
			continue;
		letters++;
		if (code >= scripts[0].first)
			counts[script_of(code)]++;
	}
	if (counts[KANA] > counts[HAN] / 10) {
		counts[KANA] += counts[HAN];
		counts[HAN] = 0;
	}
	for (size_t i = 1; i < SCRIPTS; i++)
		if (counts[i] > counts[best])
			best = i;
	return counts[best] > 0 && 2 * counts[best] >= letters
		       ? scripts[best].language
		       : NULL;
}

/* Return true for two or three letters, and optionally "-" or "_" and more. */
static bool is_bcp47_tag(struct slice text)
{
	const char *bytes = text.data;
	size_t size = 0;

	while (size < text.size && is_letter(bytes[size]))
		size++;
	return (size == 2 || size == 3) && text.size <= 35 &&
	       (size == text.size || bytes[size] == '-' || bytes[size] == '_');
}

/* Convert en_US to en-US. */
static struct slice tag_of(struct arena *arena, struct slice text)
{
	char *copy = arena_copy(arena, text.data, text.size);

	for (size_t i = 0; i < text.size; i++)
		if (copy[i] == '_')
			copy[i] = '-';
	return (struct slice){copy, text.size};
}

static bool is_of_html(const struct page *page)
{
	return page->node_count > 0 &&
	       (page_attribute(page, 0, "lang").size > 0 ||
		page_attribute(page, 0, "xml:lang").size > 0);
}

struct metadatum language_choose(const struct metadata_candidates *findings)
{
	const struct page *page = findings->page;
	const struct metadata_candidate *best =
		findings_best(findings, SUBJECT_LANGUAGE);
	const char *script;

	if (is_bcp47_tag(page->language))
		return (struct metadatum){
			tag_of(findings->arena, page->language),
			is_of_html(page) ? "html-lang" : "meta"};
	if (best != NULL && is_bcp47_tag(best->value))
		return (struct metadatum){tag_of(findings->arena, best->value),
					  best->source};
	script = guess_language(page);
	return (struct metadatum){slice_of(script),
				  script == NULL ? NULL : "text"};
}

enum date_order date_order_of(struct slice language)
{
	static const char *const day_first[] = {"en-gb", "en-au", "en-nz",
						"en-ie", "en-in", "en-za"};

	for (size_t i = 0; i < sizeof(day_first) / sizeof(day_first[0]); i++)
		if (value_is(language, day_first[i]))
			return DAY_FIRST;
	if (language.size == 0 || strncasecmp(language.data, "en", 2) == 0)
		return MONTH_FIRST;
	return DAY_FIRST;
}
