#include "extract/metadata/metadata_author.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/utf8.h"
#include "extract/metadata/metadata.h"
#include "extract/metadata/metadata_date.h"
#include "extract/text/characters.h"
#include "extract/text/word.h"
#include "page/page.h"
#include "page/scanner.h"
#include "page/tag.h"

enum {
	MAX_NAME = 80,
	MAX_NAME_WORDS = 5,
	MAX_PARTICLE = 5, /* maximum bytes of a word in lower case in a name */
	MAX_FULL = 48,    /* maximum bytes of a name that no label marks */
	MAX_ROLE =
		30, /* maximum bytes before a "by" that is not at the start */
};

/*
 * Return true for an ASCII capital, and for any byte of a non-ASCII character.
 */
static bool is_capital(char byte)
{
	return is_upper(byte) || (unsigned char)byte >= 0x80;
}

static bool word_has_digit(struct slice word)
{
	const char *bytes = word.data;

	for (size_t i = 0; i < word.size; i++)
		if (is_digit(bytes[i]))
			return true;
	return false;
}

static bool has_letter(struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at + text.size;

	while (at < end) {
		uint32_t code = utf8_next(&at, end);

		if (character_class_at(code) >= CHARACTER_LETTER &&
		    (code >= 0x80 || !is_digit((int)code)))
			return true;
	}
	return false;
}

/* Return the part of `text` before the first space. */
static struct slice first_word(struct slice text)
{
	const char *space = memchr(text.data, ' ', text.size);

	if (space != NULL)
		text.size = (size_t)(space - (const char *)text.data);
	return text;
}

/*
 * Return true if a name ends before `word`, which is not the first word of the
 * name.
 */
static bool ends_name(struct slice word)
{
	return slice_equal(word, slice_of("|")) ||
	       list_has_in_any_case(
		       "on|published|posted|updated|last|in|for|at|min|"
		       "reviewed|fact|is|edited|-|–|—|·|•|//|with",
		       word) ||
	       list_has("am|le|el|avec|mit|con|aus|기자|記者|记者", word);
}

/* Return the same as month_of(), also for "Jan." */
static uint32_t month_of_word(struct slice word)
{
	if (word.size > 0 && slice_byte(word, word.size - 1) == '.')
		word.size--;
	return month_of(word);
}

/* Return true if `text` begins with a date such as "5 March" or "March 5". */
static bool is_byline_date(struct slice text)
{
	struct slice word = first_word(text);
	const char *bytes = text.data;

	if (is_digit(bytes[0]))
		return true;
	return text.size > word.size + 1 && bytes[word.size + 1] >= '0' &&
	       bytes[word.size + 1] <= '9' && month_of_word(word) != 0;
}

size_t byline_match(struct slice text, struct slice word)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at + text.size;
	const unsigned char *want = word.data;
	const unsigned char *want_end = want + word.size;

	if (at < end && *at < 0x80 && want < want_end &&
	    (unsigned char)lower((char)*at) != *want)
		return 0; /* for most words */
	while (want < want_end)
		if (at >= end || character_fold(utf8_next(&at, end)) !=
					 utf8_next(&want, want_end))
			return 0;
	return (size_t)(at - (const unsigned char *)text.data);
}

/* The words that a role has, in about ten languages, in lower case. */
static const char roles[] =
	"writer|writers|editor|editors|reporter|reporters|correspondent|"
	"columnist|contributor|journalist|staff|attorney|lawyer|expert|"
	"specialist|manager|director|founder|co-founder|president|ceo|cto|"
	"coordinator|strategist|analyst|professor|photographer|producer|"
	"consultant|contributing|senior|associate|redakteur|redakteurin|"
	"redaktion|korrespondent|korrespondentin|autorin|journalistin|"
	"rédacteur|rédactrice|rédaction|journaliste|envoyé|envoyée|"
	"redactor|redactora|redacción|periodista|corresponsal|redattore|"
	"redattrice|redazione|giornalista|corrispondente|redator|redatora|"
	"redação|jornalista|redacteur|verslaggever|correspondente|redaktor|"
	"redakcja|dziennikarz|dziennikarka|redaktör|reporterin|редактор|"
	"редакция|журналист|корреспондент|обозреватель|记者|编辑|記者|編集|"
	"기자";

/* Return true if `text` has a word that a role has. */
static bool byline_is_role(struct slice text)
{
	const char *bytes = text.data;

	for (size_t at = 0; at < text.size;) {
		struct slice word = byline_trim(
			first_word((struct slice){bytes + at, text.size - at}));
		const char *list = roles;
		struct slice role;

		while (word.size > 0 && list_next(&list, &role))
			if (byline_match(word, role) == word.size)
				return true;
		at += first_word((struct slice){bytes + at, text.size - at})
			      .size +
		      1;
	}
	return false;
}

/*
 * Return true if `piece`, of a text for readers, is no name: the name of a
 * month, or a text that begins with a digit, a date or its label, or with a
 * preposition.
 */
static bool is_no_name(struct slice piece)
{
	return piece.size > 0 &&
	       (is_byline_date(piece) || month_of_word(piece) != 0 ||
		date_label_begins(piece) ||
		list_has_in_any_case("on|in|at|for|am|vor|il y a|hace|fa",
				     first_word(piece)));
}

/*
 * If `text` begins with a number, as the rest of a date, and a separator ("2025
 * | Ann Smith"), return the text after the separator.
 */
static struct slice skip_date(struct slice text)
{
	const struct slice number = first_word(text);
	const char *bytes = text.data;
	struct slice sign;

	if (text.size < number.size + 3 || !is_digit(bytes[0]))
		return text;
	sign = first_word((struct slice){bytes + number.size + 1,
					 text.size - number.size - 1});
	if (!list_has("-|–|—|·|•", sign) && !slice_equal(sign, slice_of("|")))
		return text;
	bytes = (const char *)sign.data + sign.size;
	return byline_trim((struct slice){
		bytes, (size_t)((const char *)text.data + text.size - bytes)});
}

/* Return the start of `text` that is a name, without the words after it. */
static struct slice cut_tail(struct slice text)
{
	const char *begin = text.data;
	size_t at = 0;

	while (at < text.size) {
		struct slice word =
			first_word((struct slice){begin + at, text.size - at});

		if (at > 0 && word.size > 0 &&
		    (ends_name(word) ||
		     is_byline_date(
			     (struct slice){begin + at, text.size - at}) ||
		     date_label_begins(
			     (struct slice){begin + at, text.size - at})))
			break;
		at += word.size + 1;
	}
	if (at < text.size)
		text.size = at;
	return byline_trim(text);
}

/*
 * Return true for "PhD", "M.D.", "RN", "Jr." or "E-RYT 200", which are not
 * names by themselves.
 */
static bool is_degree(struct slice text)
{
	const char *bytes = text.data;

	if (list_has_in_any_case(
		    "phd|ph.d|ph.d.|jr|jr.|sr|sr.|esq|esq.|inc|inc.|llc", text))
		return true;
	if (text.size > 12 || !has_letter(text) ||
	    (memchr(bytes, ' ', text.size) != NULL && !word_has_digit(text) &&
	     memchr(bytes, '.', text.size) == NULL))
		return false; /* "KIM BOYD" is a name */
	for (size_t i = 0; i < text.size; i++)
		if ((unsigned char)bytes[i] >= 0x80 ||
		    (bytes[i] >= 'a' && bytes[i] <= 'z'))
			return false;
	return true;
}

/*
 * Return true if two words with capitals follow "y" or "e", which are a
 * separator in "Ana Gil y Luis Paz" and part of the name in "Ortega y Gasset".
 */
static bool is_whole_name(struct slice text)
{
	const struct slice first = first_word(text);
	const char *bytes = text.data;

	return text.size > first.size + 1 && is_capital(bytes[0]) &&
	       is_capital(bytes[first.size + 1]) &&
	       strchr(",;", bytes[first.size - 1]) == NULL;
}

/*
 * If `text` begins with a separator of two names, return the size of the
 * separator in bytes; otherwise 0.
 */
static size_t separator_size(struct slice text)
{
	const char *weak = " y | e | en | i ";
	const char *list = ",|;| and | & | und | et | och | og | и |、|，| + ";
	struct slice separator;

	if (strchr(" ,;\xE3\xEF", slice_byte(text, 0)) == NULL)
		return 0;
	while (list_next(&list, &separator))
		if (text.size > separator.size &&
		    strncasecmp(text.data, separator.data, separator.size) == 0)
			return separator.size;
	while (list_next(&weak, &separator))
		if (text.size > separator.size &&
		    memcmp(text.data, separator.data, separator.size) == 0 &&
		    is_whole_name((struct slice){(const char *)text.data +
							 separator.size,
						 text.size - separator.size}))
			return separator.size;
	return 0;
}

static const char nobody[] =
	"admin|administrator|webmaster|anonymous|unknown|guest|user|root|"
	"wordpress|null|undefined|none|n/a|author|authors|by|follow|ratio|"
	"default|siteadmin|superuser|name|topic author|thread starter|"
	"original poster|login|log in|sign in|register|read more|google|"
	"google+|facebook|twitter|linkedin|instagram|youtube|website|email|"
	"profile|view profile|my profile|full profile|view all posts|"
	"all posts|more posts|contributors|homepage|rss";

struct byline_name_list {
	struct slice *items; /* [max] */
	size_t count;
	size_t max;
	bool is_open; /* degrees may follow the last name in the list */
	bool is_prose;
	bool is_of_role;    /* the text up to the next comma belongs to a role:
			       "Editor at A & B" */
	bool is_over;       /* a firm follows: "Editor at A, B & C" */
	bool is_after_role; /* only full names are names after a role */
};

/* Words before "by" that name people who are not the author. */
static const char helpers[] =
	"photo|image|illustrat|picture|artwork|video|translat|edited|"
	"check|sponsored|powered";

/*
 * Return the part of `text` after a "by" that is not at its start, such as
 * "Recipe by Ann Smith"; nothing if the words before it name a helper.
 */
static struct slice after_by(struct slice text)
{
	const char *bytes = text.data;
	const char *by = memmem(bytes, text.size, " by ", 4);
	const size_t before = by == NULL ? 0 : (size_t)(by - bytes);

	if (before == 0 || before > MAX_ROLE)
		return text;
	if (value_holds_any((struct slice){bytes, before}, helpers))
		return (struct slice){"", 0};
	return byline_trim((struct slice){by + 4, text.size - before - 4});
}

/*
 * Return the name after "reporter" in Chinese, as in
 * "【聯合報╱記者張博亭／整理】"; `text` unchanged if there is none.
 */
static struct slice after_reporter(struct slice text)
{
	const char *titles = "記者|记者";
	struct slice title;

	while (list_next(&titles, &title)) {
		const char *found =
			memmem(text.data, text.size, title.data, title.size);
		const unsigned char *at;
		const unsigned char *begin;
		const unsigned char *end =
			(const unsigned char *)text.data + text.size;
		const unsigned char *next;

		if (found == NULL)
			continue;
		at = begin = (const unsigned char *)found + title.size;
		next = at;
		while (at < end && character_class_at(utf8_next(&next, end)) ==
					   CHARACTER_HAN)
			at = next;
		/* two to four characters of three bytes */
		if (at - begin >= 6 && at - begin <= 12)
			return (struct slice){begin, (size_t)(at - begin)};
	}
	return text;
}

/* Return true if a word of `text` is in `list`. */
static bool has_word_of(struct slice text, const char *list)
{
	const char *bytes = text.data;

	for (size_t at = 0; at < text.size;) {
		struct slice word =
			first_word((struct slice){bytes + at, text.size - at});

		if (list_has_in_any_case(list, word))
			return true;
		at += word.size + 1;
	}
	return false;
}

bool byline_is_firm(struct slice name)
{
	return has_word_of(name, "inc|inc.|ltd|ltd.|llc|gmbh|corp|corp.|s.a.|"
				 "o.o.|s.r.l.|plc|pty|b.v.|α.ε.|ооо|зао");
}

/*
 * Return true if `text` begins with an ASCII capital or a letter that is not
 * ASCII.
 */
static bool begins_with_capital(struct slice text)
{
	const unsigned char *at = text.data;
	uint32_t code;

	if (text.size == 0)
		return false;
	code = utf8_next(&at, at + text.size);
	return is_upper((int)code) ||
	       (code >= 0x80 && character_class_at(code) >= CHARACTER_LETTER);
}

bool byline_is_full(struct slice name)
{
	static const char particles[] =
		"de|del|della|di|da|das|do|dos|du|la|le|van|von|der|den|ter|"
		"ten|al|el|bin|y|e";
	static const char groups[] =
		"team|staff|company|group|agency|press|association|institute|"
		"university|college|school|foundation|society|clinic|hospital|"
		"center|centre|council|committee|department|office|network|"
		"news|media|magazine|blog|studio|studios|editors|contributor|"
		"contributors|admin|desk|newsroom|image|images|photo|photos|"
		"video|videos|gallery|profile|comments|article|share|print";
	const char *bytes = name.data;

	if (!byline_is_person(name) || name.size > MAX_FULL ||
	    memchr(bytes, ' ', name.size) == NULL || byline_is_firm(name) ||
	    has_word_of(name, groups))
		return false;
	for (size_t at = 0; at < name.size;) {
		struct slice word =
			first_word((struct slice){bytes + at, name.size - at});

		if ((!begins_with_capital(word) &&
		     !list_has(particles, word)) ||
		    is_host_name(word))
			return false;
		at += word.size + 1;
	}
	return true;
}

static void byline_add_name(struct byline_name_list *names, struct slice piece)
{
	struct slice name = byline_trim(piece);
	struct slice rest;

	if (names->is_of_role || names->is_over)
		return;
	rest = byline_rest(name);
	if (rest.data != NULL)
		name = rest;
	if (names->is_prose) {
		name = after_reporter(after_by(name));
		name = skip_date(name);
		if (!is_no_name(name))
			name = cut_tail(name);
		if (is_no_name(name))
			name.size = 0;
	}
	if (names->count > 0 &&
	    (byline_is_role(name) || value_holds_any(name, " of "))) {
		names->is_of_role = value_holds_any(piece, " at | of ");
		names->is_over = value_holds_any(piece, " at ");
		names->is_after_role = true;
		names->is_open = false;
		return;
	}
	if (names->is_after_role && name.size > 0 && !byline_is_full(name) &&
	    is_upper(slice_byte(name, 0)))
		return; /* "Marketing" of "Director, Sales and Marketing" */
	if (names->is_open && name.size > 0 && is_degree(name)) {
		struct slice *last = &names->items[names->count - 1];

		last->size = (size_t)((const char *)name.data + name.size -
				      (const char *)last->data);
		return;
	}
	names->is_open = name.size > 1 && has_letter(name) &&
			 name.size <= MAX_NAME &&
			 memmem(name.data, name.size, "://", 3) == NULL &&
			 memmem(name.data, name.size, "www.", 4) == NULL &&
			 memchr(name.data, '@', name.size) == NULL &&
			 !list_has_in_any_case(nobody, name) &&
			 !is_host_name(name) && names->count < names->max;
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
		if (size > 0 && strchr(",;", bytes[at]) != NULL)
			names.is_of_role = false;
		at += size > 0 ? size : 1;
		if (size > 0)
			begin = at;
	}
	if (text.size > begin)
		byline_add_name(&names, (struct slice){bytes + begin,
						       text.size - begin});
	return names.count;
}

struct slice byline_family_last(struct arena *arena, struct slice text)
{
	const char *at = text.data;
	const char *end = at + text.size;
	/* each name needs a space instead of its comma, and a semicolon */
	char *out = arena_alloc(arena, text.size + 1, 1);
	size_t size = 0;

	while (at < end) {
		const char *semicolon = memchr(at, ';', (size_t)(end - at));
		const char *last = semicolon == NULL ? end : semicolon;
		const char *comma = memchr(at, ',', (size_t)(last - at));
		struct slice family;
		struct slice given;

		if (comma == NULL ||
		    memchr(comma + 1, ',', (size_t)(last - comma - 1)) != NULL)
			return text;
		family = byline_trim((struct slice){at, (size_t)(comma - at)});
		given = byline_trim(
			(struct slice){comma + 1, (size_t)(last - comma - 1)});
		if (family.size == 0 || given.size == 0 || is_degree(given))
			return text;
		if (size > 0)
			out[size++] = ';';
		memcpy(out + size, given.data, given.size);
		size += given.size;
		out[size++] = ' ';
		memcpy(out + size, family.data, family.size);
		size += family.size;
		at = semicolon == NULL ? end : semicolon + 1;
	}
	return (struct slice){out, size};
}

struct slice byline_given_first(struct arena *arena, struct slice text)
{
	const char *bytes = text.data;
	const char *bar = memmem(bytes, text.size, " | ", 3);
	const size_t size = bar == NULL ? text.size : (size_t)(bar - bytes);
	const char *comma = memchr(bytes, ',', size);
	struct slice family;
	struct slice given;

	if (comma == NULL || word_has_digit((struct slice){bytes, size}))
		return text;
	family = (struct slice){bytes, (size_t)(comma - bytes)};
	given = byline_trim(
		(struct slice){comma, (size_t)(bytes + size - comma)});
	if (family.size < 2 || given.size < 2 || !begins_with_capital(family) ||
	    !begins_with_capital(given) ||
	    memchr(bytes, ' ', family.size) != NULL ||
	    memchr(given.data, ' ', given.size) != NULL)
		return text;
	return byline_family_last(arena, (struct slice){bytes, size});
}

struct slice byline_without_tags(struct arena *arena, struct slice text)
{
	const char *bytes = text.data;
	bool is_in_tag = false;
	size_t size = 0;
	char *out;

	if (memchr(bytes, '<', text.size) == NULL ||
	    memchr(bytes, '>', text.size) == NULL)
		return text;
	out = arena_alloc(arena, text.size, 1);
	for (size_t i = 0; i < text.size; i++) {
		if (bytes[i] == '<')
			is_in_tag = true;
		else if (bytes[i] == '>')
			is_in_tag = false;
		else if (!is_in_tag)
			out[size++] = bytes[i];
	}
	return (struct slice){out, size};
}

bool byline_is_person(struct slice name)
{
	const char *bytes = name.data;
	uint32_t words = 0;
	uint32_t lower = 0;

	if (name.size < 2 || name.size > MAX_NAME || word_has_digit(name) ||
	    list_has_in_any_case("mon|tue|wed|thu|fri|sat|sun", name) ||
	    !is_capital(bytes[0]))
		return false;
	for (size_t at = 0; at < name.size;) {
		struct slice word =
			first_word((struct slice){bytes + at, name.size - at});

		words++;
		lower += !is_capital(bytes[at]);
		at += word.size + 1;
	}
	return words <= MAX_NAME_WORDS &&
	       (lower <= 1 || words > 3); /* "de la Cruz" */
}

/*
 * Return true if text `index` and the text before it are in different blocks,
 * or a br is between them. If more than MAX_LABEL bytes are between them,
 * assume that they are in different blocks.
 */
static bool is_in_new_block(const struct page *page, uint32_t index)
{
	const struct text *before = &page->texts[index - 1];
	const struct text *after = &page->texts[index];
	const char *source = page->source.data;

	if (before->node != after->node &&
	    ((tag_flags(page->nodes[before->node].tag) |
	      tag_flags(page->nodes[after->node].tag)) &
	     TAG_IS_BLOCK) != 0)
		return true;
	if (after->source.begin - before->source.end > MAX_LABEL)
		return true;
	for (uint32_t i = before->source.end; i + 3 < after->source.begin; i++)
		if (source[i] == '<' && (source[i + 1] | 0x20) == 'b' &&
		    (source[i + 2] | 0x20) == 'r')
			return true;
	return false;
}

/* Return `text` with one space at most at its start and at its end. */
static struct slice without_indent(struct slice text)
{
	const char *bytes = text.data;

	while (text.size > 1 && is_space(bytes[text.size - 1]) &&
	       is_space(bytes[text.size - 2]))
		text.size--;
	while (text.size > 1 && is_space(slice_byte(text, 0)) &&
	       is_space(slice_byte(text, 1)))
		slice_advance(&text, 1);
	return text;
}

/*
 * Return the texts inside node `index` as one text; empty if it has `size`
 * bytes or more. `size` <= MAX_HEADING; it is MAX_LABEL for label_of().
 */
static struct slice join_texts(struct arena *arena, const struct page *page,
			       uint32_t index, size_t size)
{
	const struct node *node = &page->nodes[index];
	char raw[MAX_HEADING];
	size_t length = 0;
	char *out;

	for (uint32_t i = node->first_text; i < node->end_text; i++) {
		struct slice text = without_indent(page_text(page, i));
		struct slice glue = {"", 0};

		if (page->texts[i].node != NO_NODE &&
		    (page->nodes[page->texts[i].node].flags & NODE_IS_SVG) != 0)
			continue; /* initials, or the title of an icon */
		if (length > 0) {
			struct slice before = page_text(page, i - 1);
			bool is_broken = is_in_new_block(page, i);
			/* there is no white space between the two texts */
			bool is_touching = !is_space(slice_byte(
						   before, before.size - 1)) &&
					   !is_space(slice_byte(text, 0));

			glue = (struct slice){" ", is_broken ? 1 : 0};
			if (size == MAX_LABEL && (is_broken || is_touching))
				glue = slice_of(" | ");
		}
		if (length + glue.size + text.size >= size)
			return (struct slice){"", 0};
		memcpy(raw + length, glue.data, glue.size);
		length += glue.size;
		memcpy(raw + length, text.data, text.size);
		length += text.size;
	}
	if (length == 0)
		return (struct slice){"", 0};
	out = arena_alloc(arena, length, 1);
	return (struct slice){out,
			      text_collapse((struct slice){raw, length}, out)};
}

struct slice heading_of(struct arena *arena, const struct page *page,
			uint32_t node)
{
	return join_texts(arena, page, node, MAX_HEADING);
}

struct slice label_of(struct arena *arena, const struct page *page,
		      uint32_t node)
{
	return join_texts(arena, page, node, MAX_LABEL);
}

enum {
	MAX_FOLDED = 1024,
	MAX_CUTS =
		8, /* maximum number of parts that are removed from a title */
	MAX_HOME_LINKS = 32, /* links that are read to find the home page */
	MIN_SHARED = 4       /* minimum bytes of a name that is searched inside
				another name */
};

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
	/* folding changes one byte to two bytes at most, for the Turkish "i" */
	out = arena_alloc(arena, text.size + 4, 2);
	while (at < end) {
		uint32_t code = utf8_next(&at, end);

		if (character_class_at(code) >= CHARACTER_LETTER)
			size += utf8_encode(character_fold(code), out + size);
	}
	return (struct slice){out, size};
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
		/* in scripts without spaces, each letter is a word */
		bool is_single =
			class == CHARACTER_HAN || class == CHARACTER_THAI;

		if (hash != 0 && (class < CHARACTER_LETTER || is_single)) {
			words.words[words.count++] = hash;
			hash = 0;
		}
		if (class < CHARACTER_LETTER)
			continue;
		code = character_fold(code);
		hash = hash64(&code, sizeof(code), hash);
		if (is_single && words.count < MAX_TITLE_WORDS) {
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

struct slice host_of_address(struct slice url)
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
 * Return the longest label of the host, except the last label (a country or
 * another top-level domain).
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

bool is_home_address(struct slice href)
{
	const struct slice host = host_of_address(href);

	if (host.size > 0)
		slice_advance(&href,
			      (size_t)((const char *)host.data + host.size -
				       (const char *)href.data));
	return (host.size > 0 && href.size == 0) ||
	       slice_equal(href, slice_of("/"));
}

struct site_names site_names_of(struct arena *arena, struct slice name,
				struct slice url)
{
	struct slice host = host_of_address(url);

	return (struct site_names){
		.name = name_fold(arena, name),
		.host = name_fold(arena, host),
		.domain = name_fold(arena, longest_label(host)),
		.is_home = is_home_address(url),
	};
}

struct slice home_link_of(const struct page *page, struct slice url)
{
	const struct slice host = host_of_address(url);

	for (uint32_t i = 0; i < page->link_count && i < MAX_HOME_LINKS; i++) {
		const struct link *link = &page->links[i];
		struct slice href = link->href;
		const struct slice other = host_of_address(href);

		if (other.size > 0 && slice_equal(other, host)) {
			const char *end = (const char *)other.data + other.size;

			href.size -= (size_t)(end - (const char *)href.data);
			href.data = end;
		} else if (href.size == 0) {
			continue;
		}
		if (link->anchor.size > 0 && link->anchor.size <= MAX_NAME &&
		    (href.size == 0 || slice_equal(href, slice_of("/"))))
			return link->anchor;
	}
	return (struct slice){"", 0};
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

	if (name.size == 0 || slice_equal(name, site->name) ||
	    slice_equal(name, site->home))
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
 * A separator in a title: `end` is the end of the part before it, and `begin`
 * is the start of the part after it.
 */
struct title_separator {
	size_t end;
	size_t begin; /* 0: no separator */
	bool is_firm; /* the part after "|" is never part of the title; the part
			 after a dash may be */
};

/* The signs that separate the parts of a title if spaces are around them. */
static const struct {
	const char *sign;
	bool is_firm;
	bool is_alone; /* separates even without spaces around it */
} signs[] = {
	{"|", true, true},   {"»", true, true},   {"«", true, true},
	{"::", true, false}, {"/", true, false},  {"//", true, false},
	{"-", false, false}, {"–", false, false}, {"—", false, false},
	{"·", false, false}, {"•", false, false}, {"~", false, false},
};

/*
 * Return the separator whose sign is at byte `at` >= 1 of the title; `begin` is
 * 0 if there is no sign at `at`.
 */
static struct title_separator title_separator_at(struct slice title, size_t at)
{
	const char *bytes = title.data;

	if ((unsigned char)bytes[at] < 0x80 &&
	    strchr("|:/-~", bytes[at]) == NULL)
		return (struct title_separator){0}; /* for most bytes */
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

bool is_host_name(struct slice text)
{
	static const char suffixes[] =
		"js|py|rs|md|sh|pl|hs|ml|io|ai|so|cc|net|java|html|php|conf";
	const char *bytes = text.data;
	size_t dot = 0;

	for (size_t i = 0; i < text.size; i++) {
		if (bytes[i] == '.')
			dot = i;
		else if ((dot > 0 || !is_digit(bytes[i])) && bytes[i] != '-' &&
			 (lower(bytes[i]) < 'a' || lower(bytes[i]) > 'z'))
			return false;
	}
	return dot > 2 && text.size - dot > 2 && text.size - dot < 6 &&
	       !list_has_in_any_case(
		       suffixes,
		       (struct slice){bytes + dot + 1, text.size - dot - 1});
}

/*
 * Return true if `part`, of a title, names the site or is equal to `other`
 * after folding.
 */
static bool is_cut_off(struct arena *arena, const struct site_names *site,
		       struct slice other, const char *part, size_t size)
{
	struct slice text = {part, size};

	return site_is_named(arena, site, text) || is_host_name(text) ||
	       (other.size > 0 && slice_equal(name_fold(arena, text), other));
}

/*
 * Find the first and the last separator of the title; `begin` is 0 without a
 * separator.
 */
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

/*
 * Return true if at least two and more than half of the titles, except those
 * that are equal to `title`, begin with its first `size` bytes or, if `is_end`,
 * end with its last `size` bytes.
 */
static bool is_shared_by_titles(const struct page_titles *titles,
				struct slice title, size_t size, bool is_end)
{
	const char *part =
		(const char *)title.data + (is_end ? title.size - size : 0);
	size_t others = 0;
	size_t shared = 0;

	for (size_t i = 0; i < titles->count; i++) {
		const struct slice other = titles->items[i];
		const char *bytes = other.data;

		if (slice_equal(other, title))
			continue;
		others++;
		shared += other.size >= size &&
			  memcmp(bytes + (is_end ? other.size - size : 0), part,
				 size) == 0;
	}
	return shared >= 2 && 2 * shared > others;
}

/*
 * Return `title` without the longest part at its end and the longest part at
 * its start that is_shared_by_titles(). Separators delimit the parts.
 */
static struct slice title_without_shared(const struct page_titles *titles,
					 struct slice title)
{
	const struct slice all = title;
	size_t begin = 0;

	for (size_t i = 1; i < title.size; i++) {
		struct title_separator cut = title_separator_at(all, i);

		if (cut.begin == 0 || cut.end == 0)
			continue;
		if (is_shared_by_titles(titles, all, all.size - cut.end, true))
			title.size = cut.end;
		else if (is_shared_by_titles(titles, all, cut.begin, false))
			begin = cut.begin;
		i = cut.begin - 1;
	}
	slice_advance(&title, begin);
	return title;
}

struct slice title_without_site(struct arena *arena,
				const struct site_names *site,
				struct slice other, struct slice title)
{
	struct title_separator first;
	struct title_separator last;

	if (site->titles != NULL)
		title = title_without_shared(site->titles, title);
	for (size_t i = 0; i < MAX_CUTS; i++) {
		const char *bytes = title.data;

		find_title_separators(title, &first, &last);
		if (last.begin == 0 || last.end == 0)
			break;
		if (is_cut_off(arena, site, other, bytes + last.begin,
			       title.size - last.begin) ||
		    (last.is_firm && !first.is_firm))
			title.size = last.end;
		else if (is_cut_off(arena, site, other, bytes, first.end))
			title = (struct slice){bytes + first.begin,
					       title.size - first.begin};
		else if (first.is_firm)
			title.size = first.end;
		else
			break;
	}
	return title;
}

bool is_whole_site(struct arena *arena, const struct site_names *site,
		   struct slice part)
{
	const struct slice name = name_fold(arena, part);

	return name.size > 0 &&
	       (slice_equal(name, site->name) ||
		slice_equal(name, site->home) ||
		(name.size >= MIN_SHARED && name_contains(site->domain, name)));
}

struct slice title_without_colon(struct arena *arena,
				 const struct site_names *site,
				 struct slice title)
{
	const char *bytes = title.data;
	const char *end = bytes + title.size;
	const char *colon =
		title.size == 0 ? NULL : memmem(bytes, title.size, ": ", 2);

	if (colon == NULL || colon == bytes || site->is_home)
		return title;
	if (is_whole_site(arena, site,
			  (struct slice){bytes, (size_t)(colon - bytes)}))
		return (struct slice){colon + 2, (size_t)(end - colon - 2)};
	colon = memrchr(bytes, ':', title.size);
	if (end - colon > 2 && colon[1] == ' ' &&
	    is_whole_site(
		    arena, site,
		    (struct slice){colon + 2, (size_t)(end - colon - 2)})) {
		while (colon[-1] == ' ')
			colon--;
		title.size = (size_t)(colon - bytes);
	}
	return title;
}

/*
 * The functions below read texts near the title of a page: bylines such as "By
 * Ann Smith", and dates without markup.
 */

enum {
	TEXTS_BEFORE = 6, /* this many texts before the title are near it */
	TEXTS_BEHIND = 25,
	TEXTS_BELOW = 6,  /* a byline this near is the one of the article */
	TEXTS_NAMED = 12, /* names without a label are this near to it */
	MAX_CARD = 16,    /* nodes of a card that are read */
	MAX_COMMON = LIMIT(
		1 << 16, 512), /* bytes of the page that is_common_word() reads
				*/
	MAX_DATED = 80, /* maximum bytes of a text that has a date and is not
			   near the title */
};

static struct slice
collapsed_text_at(const struct metadata_candidates *findings, uint32_t index)
{
	struct slice text = without_indent(page_text(findings->page, index));
	char *out;

	if (text.size > MAX_LABEL)
		return (struct slice){"", 0};
	out = arena_alloc(findings->arena, text.size, 1);
	return (struct slice){out, text_collapse(text, out)};
}

/*
 * Return true if the text is in a link that also has a heading before the text,
 * as a card of another article.
 */
static bool is_in_card(const struct page *page, uint32_t index)
{
	uint32_t node = page->texts[index].node;
	uint32_t before = node;

	if ((page->texts[index].flags & TEXT_IS_LINK) == 0)
		return false;
	for (uint32_t i = 0;
	     i < MAX_CARD && node != NO_NODE && page->nodes[node].tag != TAG_a;
	     i++)
		node = page->nodes[node].parent;
	if (node == NO_NODE || page->nodes[node].tag != TAG_a)
		return false;
	for (uint32_t i = 0; i < MAX_CARD && before > node; i++, before--)
		if (page->nodes[before].end_text <= index &&
		    (tag_flags(page->nodes[before].tag) & TAG_IS_HEADING) != 0)
			return true;
	return false;
}

static bool text_is_of_others(struct metadata_candidates *findings,
			      uint32_t index)
{
	const uint32_t node = findings->page->texts[index].node;

	return node != NO_NODE && (is_in_card(findings->page, index) ||
				   is_of_others(findings, node));
}

/*
 * Return true if the second word of the text is "by", as of "Written by", in
 * some languages, or if the text begins as "This post was written by". This is
 * cheap, as most texts have another second word.
 */
static bool has_second_by(struct slice text)
{
	const struct slice first = first_word(text);
	const char *second = (const char *)text.data + first.size + 1;

	if (text.size < first.size + 3)
		return false;
	if (value_is(first, "this"))
		return memmem(text.data, text.size, " written by ", 12) != NULL;
	if (strchr("bpvdaBPVDA", *second) == NULL)
		return false;
	return list_has_in_any_case(
		"by|by:|par|von|por|da|di|door|av|af",
		first_word((struct slice){second, text.size - first.size - 1}));
}

/* Return true if the text is only "Author" or "Authors:", for example. */
static bool is_author_label(struct slice text)
{
	while (text.size > 0 &&
	       strchr(" :\n\r\t", slice_byte(text, text.size - 1)) != NULL)
		text.size--;
	return list_has_in_any_case("author|authors|author(s)|autor|auteur",
				    text);
}

/*
 * Return true if `text` is short and its last words say who wrote, as of ",
 * Submitted by".
 */
static bool ends_in_by(struct slice text)
{
	const char *bytes = text.data;

	return text.size > 3 && text.size <= MAX_ROLE &&
	       memcmp(bytes + text.size - 3, " by", 3) == 0 &&
	       value_holds_any(text, "post|submit|writ|publish|story|text|"
				     "words|article|report|contribut") &&
	       !value_holds_any(text, helpers);
}

/*
 * Return true if `text` is only "by" and `rest`, which is one word, such as a
 * login, or a group such as "the Hats Team".
 */
static bool is_by_login(struct slice text, struct slice rest)
{
	return (value_is(first_word(text), "by") || has_second_by(text) ||
		ends_in_by(text)) &&
	       rest.size > 2 && rest.size <= MAX_ROLE &&
	       (memchr(rest.data, ' ', rest.size) == NULL ||
		value_is(first_word(rest), "the"));
}

/* Return true if text `index` is one of the first texts after the title. */
static bool is_below_title(const struct metadata_candidates *findings,
			   uint32_t index)
{
	return index >= findings->title_end &&
	       index - findings->title_end < TEXTS_BELOW;
}

/* Return true if the text is only what is between two names, as "and". */
static bool is_between_names(struct slice text)
{
	return text.size <= MAX_PARTICLE &&
	       list_has_in_any_case(
		       ",|;|&|and|, and|, &|und|et|og|och|y|e|i|и|、", text);
}

/* Return true if the text has a sign or "and" that may separate names. */
static bool has_separator(struct slice text)
{
	return memchr(text.data, ',', text.size) != NULL ||
	       memchr(text.data, ';', text.size) != NULL ||
	       memchr(text.data, '&', text.size) != NULL ||
	       memmem(text.data, text.size, " and ", 5) != NULL;
}

/*
 * Return false if the words show that the text is no list of names. This is
 * cheap.
 */
static bool may_be_names(struct slice text)
{
	const char *bytes = text.data;
	size_t words = 0;

	for (size_t at = 0; at < text.size; words++) {
		const struct slice word =
			first_word((struct slice){bytes + at, text.size - at});

		if (word.size > MAX_PARTICLE && bytes[at] >= 'a' &&
		    bytes[at] <= 'z')
			return false;
		at += word.size + 1;
	}
	return words > 1 && begins_with_capital(text) &&
	       (words <= MAX_NAME_WORDS || has_separator(text));
}

/*
 * Return true if `text` is only full names, as many as MAX_AUTHORS at most.
 */
static bool is_full_names(struct slice text)
{
	struct slice names[MAX_AUTHORS];
	size_t count;

	if (!may_be_names(text) || value_holds_any(text, ":|?|!|$|/"))
		return false;
	if (!has_separator(text))
		return byline_is_full(text) &&
		       cut_tail(text).size == text.size &&
		       !byline_is_role(text);
	count = byline_names(text, true, names, MAX_AUTHORS);
	for (size_t i = 0; i < count; i++)
		if (!byline_is_full(names[i]))
			return false;
	if (count == 0 || byline_is_role(text))
		return false;
	/* "Looking for a Job" is more than the name "Looking" */
	slice_advance(&text, (size_t)((const char *)names[count - 1].data +
				      names[count - 1].size -
				      (const char *)text.data));
	return !has_letter(text) || word_has_digit(text);
}

/*
 * Return true if text `after` is an entry of the same list as text `before`: an
 * element of the same name and depth.
 */
static bool is_next_entry(const struct page *page, uint32_t before,
			  uint32_t after)
{
	const uint32_t a = page->texts[before].node;
	const uint32_t b = page->texts[after].node;

	return a != b && a != NO_NODE && b != NO_NODE &&
	       page->nodes[a].tag == page->nodes[b].tag &&
	       page->nodes[a].depth == page->nodes[b].depth;
}

/* Consecutive texts that are only names. */
struct name_run {
	struct slice names; /* with ";" after each text; empty if none */
	uint32_t end;       /* the first text after them */
};

/*
 * Return the names that text `begin` and the texts after it are, with "and" or
 * commas between them, or as entries of a list if `is_list`.
 */
static struct name_run names_from(const struct metadata_candidates *findings,
				  uint32_t begin, bool is_list)
{
	const struct page *page = findings->page;
	char *out = arena_alloc(findings->arena, MAX_LABEL, 1);
	struct name_run run = {{out, 0}, begin};
	uint32_t at = begin;

	while (at < page->text_count) {
		struct slice text = collapsed_text_at(findings, at);

		if (!is_full_names(text) ||
		    run.names.size + text.size + 1 > MAX_LABEL)
			break;
		memcpy(out + run.names.size, text.data, text.size);
		run.names.size += text.size;
		out[run.names.size++] = ';';
		run.end = ++at;
		if (at + 1 < page->text_count &&
		    is_between_names(collapsed_text_at(findings, at)))
			at++;
		else if (!is_list || at == page->text_count ||
			 !is_next_entry(page, at - 1, at))
			break;
	}
	return run;
}

/*
 * If text `index` of the page begins with "by", add the name after it as a
 * candidate. If the text is only "by", add the name in the next text, or the
 * names in the next texts. Return whether the text begins with "by".
 */
static bool read_byline(struct metadata_candidates *findings, struct slice text,
			uint32_t index, bool is_near)
{
	const bool is_begin = is_near && ends_in_by(text);
	const struct slice rest =
		is_begin ? (struct slice){"", 0} : byline_rest(text);
	struct slice name = rest;
	struct slice names[1];

	if (rest.data == NULL ||
	    (!is_near && !is_author_label(text) &&
	     !has_second_by((struct slice){text.data,
					   (size_t)((const char *)rest.data -
						    (const char *)text.data)})))
		return rest.data != NULL;
	if (rest.size == 0 && index + 1 < findings->page->text_count) {
		struct name_run run = names_from(
			findings, index + 1,
			is_author_label(text) &&
				value_holds_any(text, "s)|s:|authors"));

		name = run.end > index + 2
			       ? run.names
			       : collapsed_text_at(findings, index + 1);
	}
	if (byline_names(name, true, names, 1) == 1 &&
	    byline_is_person(names[0]) && !text_is_of_others(findings, index))
		findings_add(findings, SUBJECT_AUTHOR, name, "byline",
			     !is_near                          ? 61
			     : is_below_title(findings, index) ? TOP_RANK
							       : 56);
	else if (is_near && index > findings->title_begin &&
		 is_by_login(text, name) && !text_is_of_others(findings, index))
		findings_add(findings, SUBJECT_AUTHOR, name, "byline",
			     LOGIN_RANK);
	return true;
}

/*
 * Add text `index` as a candidate for the date that its label tells. A text
 * that is not near the title counts only if it has a label.
 */
static void read_date_text(struct metadata_candidates *findings,
			   struct slice text, uint32_t index, bool is_near)
{
	enum date_label label;

	if (text_is_of_others(findings, index) ||
	    is_in_link_of_others(findings, findings->page->texts[index].node))
		return; /* the labels of many comments take time */
	label = label_before(findings, index);
	if (label == DATE_PLAIN && !is_near && !date_label_begins(text))
		return;
	if (label == DATE_UPDATED)
		findings_add(findings, SUBJECT_MODIFIED, text, "byline",
			     is_near ? 54 : 58);
	else if (label != DATE_OTHER)
		findings_add(findings, SUBJECT_PUBLISHED, text, "byline",
			     is_near ? 54 : 58);
}

/*
 * Return true if text `index` is a date. A sign or a role may be between the
 * names and the date: go on by `step`, which is 1 or -1.
 */
static bool is_beside_date(const struct metadata_candidates *findings,
			   uint32_t index, uint32_t step)
{
	char date[DATE_SIZE];

	for (size_t i = 0; i < 2 && index < findings->page->text_count;
	     i++, index += step) {
		struct slice text = collapsed_text_at(findings, index);

		if (text.size > 0 && text.size <= MAX_FULL &&
		    date_find_labelled(
			    text, MONTH_FIRST,
			    DATE_PLAIN | DATE_PUBLISHED | DATE_UPDATED, date))
			return true;
		if (has_letter(text) && !byline_is_role(text))
			break;
	}
	return false;
}

/*
 * Return true if the last word of `name` is also in lower case in the first
 * texts of the page, as "strategy" for "Hat Strategy", and so is no name.
 */
static bool is_common_word(const struct page *page, struct slice name)
{
	const size_t limit =
		page->text_bytes < MAX_COMMON ? page->text_bytes : MAX_COMMON;
	struct slice text = {page->text, limit};
	char word[MAX_FULL];
	size_t size = 0;

	for (const char *at = name.data, *end = at + name.size; at < end; at++)
		if (*at == ' ')
			size = 0;
		else if (*at != ';' && size < MAX_FULL)
			word[size++] = lower(*at);
	while (size > 3 && text.size > size) {
		const char *at = memmem(text.data, text.size, word, size);

		if (at == NULL)
			break;
		if ((at == text.data || !is_letter(at[-1])) &&
		    (at + size == page->text + limit || !is_letter(at[size])))
			return true;
		slice_advance(&text,
			      (size_t)(at + 1 - (const char *)text.data));
	}
	return false;
}

/* Return true if the text has words and is no date, duration or role. */
static bool is_prose(struct slice text)
{
	return text.size > MAX_FULL ||
	       (has_letter(text) && !word_has_digit(text) &&
		!byline_is_role(text));
}

/*
 * Return true if the texts from `begin` to `end` are part of a heading or of
 * prose, as a link in a paragraph.
 */
static bool is_in_prose(const struct page *page, uint32_t begin, uint32_t end)
{
	uint32_t block = page->texts[begin].node;
	const struct node *node;

	if (block != NO_NODE)
		block = page_block_around(page, block);
	if (block == NO_NODE)
		return true;
	node = &page->nodes[block];
	return (tag_flags(node->tag) & TAG_IS_HEADING) != 0 ||
	       (begin > node->first_text &&
		is_prose(page_text(page, begin - 1))) ||
	       (end < node->end_text && is_prose(page_text(page, end)));
}

/*
 * Add the names that text `begin` and the texts after it are, with "and" or
 * commas between them. Nothing says that they are authors, so they count only
 * if a date is beside them or if they include the author of a field.
 */
static void read_names(struct metadata_candidates *findings, uint32_t begin)
{
	const struct name_run run = names_from(findings, begin, false);

	if (run.names.size == 0 ||
	    is_between_names(collapsed_text_at(findings, begin - 1)) ||
	    is_in_prose(findings->page, begin, run.end) ||
	    text_is_of_others(findings, begin) ||
	    is_common_word(findings->page, run.names))
		return;
	if (is_beside_date(findings, run.end, 1) ||
	    is_beside_date(findings, begin - 1, UINT32_MAX))
		findings_add(findings, SUBJECT_AUTHOR, run.names, "byline",
			     NAMES_RANK);
	else if (run.end - begin > 1)
		findings_add(findings, SUBJECT_AUTHOR, run.names, "byline",
			     LIST_RANK);
}

/* Return true if `text` has the four digits of a year. */
static bool has_year(struct slice text)
{
	const char *bytes = text.data;

	for (size_t i = 0; i + 3 < text.size; i++)
		if (((bytes[i] == '2' && bytes[i + 1] == '0') ||
		     (bytes[i] == '1' && bytes[i + 1] == '9')) &&
		    is_digit(bytes[i + 2]) && is_digit(bytes[i + 3]))
			return true;
	return false;
}

/*
 * Read text `index`, which is far from the title. A byline counts if the page
 * has no other author and if it says that somebody wrote.
 */
static void read_far_text(struct metadata_candidates *findings, uint32_t index)
{
	struct slice raw = page_text(findings->page, index);

	const bool is_short = raw.size <= MAX_DATED;

	while (raw.size > 0 && is_space(slice_byte(raw, 0)))
		slice_advance(&raw, 1);
	if (findings->counts[SUBJECT_AUTHOR] == 0 &&
	    (is_short || value_is(first_word(raw), "this")) &&
	    (has_second_by(raw) || is_author_label(raw)))
		read_byline(findings, collapsed_text_at(findings, index), index,
			    false);
	if (is_short && has_year(raw))
		read_date_text(findings, collapsed_text_at(findings, index),
			       index, false);
}

void findings_near(struct metadata_candidates *findings)
{
	const struct page *page = findings->page;
	const uint32_t title = findings->title_end;
	const bool has_title = title != NO_TEXT;
	const uint32_t begin =
		has_title && title > TEXTS_BEFORE ? title - TEXTS_BEFORE : 0;
	const uint32_t end = has_title ? title + TEXTS_BEHIND : 0;

	for (uint32_t i = begin; i < end && i < page->text_count; i++) {
		struct slice text = collapsed_text_at(findings, i);

		if (text.size == 0 || (i >= findings->title_begin && i < title))
			continue;
		if (!read_byline(findings, text, i, true) && i >= title &&
		    i < title + TEXTS_NAMED)
			read_names(findings, i);
		if (word_has_digit(text))
			read_date_text(findings, text, i, true);
	}
	for (uint32_t i = 0; i < page->text_count; i++)
		if ((i < begin || i >= end) &&
		    page->texts[i].length <= MAX_LABEL)
			read_far_text(findings, i);
}
