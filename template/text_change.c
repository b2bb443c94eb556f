#include "template/text_change.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "extract/auto/auto.h"
#include "extract/text/fragment.h"
#include "extract/text/passage.h"
#include "page/page.h"
#include "template/text_diff.h"
#include "template/version_json.h"

enum {
	MAX_WORDS = 400,     /* of a passage that are compared */
	MAX_NUMBERS = 16,    /* of a passage that are parts of their own */
	SHORT_WORDS = 8,     /* a passage this short is one part */
	CONTEXT_WORDS = 5,   /* around the changed words of an excerpt */
	MAX_RUNS = 8,        /* runs of words in a list */
	MAX_RUN_BYTES = 120, /* of a run */
	PAIR_REACH = 16,     /* passages that may be the new text of one */
	PAIR_PERCENT = 40,   /* words that a passage and its new text share */
	ALL_VISITS = (1 << CHANGE_VISITS) - 1,
};

/* The passages of a page. */
struct change_passage {
	struct slice text; /* with collapsed white space */
	uint64_t place;    /* see the header */
	uint32_t first_text;
	uint32_t end_text;
};

struct change_page {
	struct page *page;
	struct change_passage *items; /* [count] */
	uint64_t *hashes;             /* [count], of the texts */
	size_t count;
	/* [text_count]; NULL until it is needed */
	const struct verdict *verdicts;
};

/* The two texts of a changed passage as words, and their difference. */
struct change_words {
	struct text_words before;
	struct text_words after;
	struct text_diff diff;
	/* the words are the same but for a few numbers */
	bool is_numbers;
};

/* A pair of passages, or a passage that was added or removed. */
struct passage_change {
	const struct change_passage *before; /* NULL = it was added */
	const struct change_passage *after;  /* NULL = it was removed */
	const struct change_words *words;    /* of a pair */
};

struct change_part {
	uint64_t key;
	uint32_t bits; /* bit i is set: it changed i visits ago */
};

struct change_work {
	const struct text_visit *visit;
	struct arena *arena;
	struct change_page before;
	struct change_page after;
	struct passage_change changes[CHANGE_PASSAGES];
	size_t count;
	struct change_part parts[2 * CHANGE_PARTS];
	size_t part_count;
	uint32_t visits;
	bool is_truncated;
};

/*
 * Return whether a reader sees a space between two texts that follow each
 * other: their source has white space or a br between them. The page has no
 * blank texts.
 */
static bool change_texts_are_apart(const struct page *page, uint32_t text)
{
	const char *source = page->source.data;
	size_t at = page->texts[text - 1].source.end;
	size_t end = page->texts[text].source.begin;
	bool is_tag = false;

	for (; at < end && end <= page->source.size; at++) {
		if (!is_tag && source[at] != '<')
			return true;
		if (source[at] == '<' && end - at > 3 &&
		    strncasecmp(source + at, "<br", 3) == 0)
			return true;
		is_tag = source[at] != '>';
	}
	return false;
}

/* Return the text of the passage, with collapsed white space. */
static struct slice change_passage_text(const struct passages *passages,
					uint32_t index)
{
	const struct passage *passage = &passages->items[index];
	const struct page *page = passages->page;
	struct buffer text = {0};
	struct slice copy;
	char *collapsed;

	for (uint32_t t = passage->first_text; t < passage->end_text; t++) {
		if (passages->of_text[t] != index)
			continue;
		if (text.size > 0 && change_texts_are_apart(page, t))
			buffer_append_byte(&text, ' ');
		buffer_append_slice(&text, page_text(page, t));
	}
	collapsed = arena_room(page->arena, text.size + 1);
	copy = (struct slice){collapsed, 0};
	if (text.size > 0)
		copy.size = text_collapse(buffer_slice(&text), collapsed);
	buffer_free(&text);
	return copy;
}

/* Return the character that the plain form of a text has for this one. */
static uint32_t change_plain_code(uint32_t code)
{
	if (code == 0xA0)
		return ' ';
	if (code == 0x2010 || code == 0x2011 || code == 0x2013 ||
	    code == 0x2014 || code == 0x2212)
		return '-';
	if (code == 0xAB || code == 0xBB || (code >= 0x2018 && code <= 0x201F))
		return '"';
	return code == '\'' ? '"' : code;
}

/*
 * Return the hash of the text without spaces, and with plain quotes and dashes.
 * Whether elements are separated by white space, and quotes are curly, depends
 * on the generator of the page.
 */
static uint64_t change_text_hash(struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at + text.size;
	struct buffer plain = {0};
	uint64_t hash;

	while (at < end) {
		uint32_t code = change_plain_code(utf8_next(&at, end));

		if (code != ' ')
			plain.size +=
				utf8_encode(code, buffer_reserve(&plain, 4));
	}
	hash = hash64(plain.data, plain.size, 0);
	buffer_free(&plain);
	return hash;
}

static int change_place_order(const void *left, const void *right)
{
	const struct change_passage *a = *(struct change_passage *const *)left;
	const struct change_passage *b = *(struct change_passage *const *)right;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return (a > b) - (a < b);
}

/* Add the positions of the passages among those with their path. */
static void change_page_number(struct change_page *list)
{
	struct change_passage **order = ARENA_ROOM(
		list->page->arena, struct change_passage *, list->count);
	uint64_t position = 0;
	uint64_t path = 0;

	for (size_t i = 0; i < list->count; i++)
		order[i] = &list->items[i];
	if (list->count > 0)
		qsort(order, list->count, sizeof(struct change_passage *),
		      change_place_order);
	for (size_t i = 0; i < list->count; i++) {
		position = i > 0 && order[i]->place == path ? position + 1 : 0;
		path = order[i]->place;
		order[i]->place = hash_chain(path, position);
	}
}

static struct change_page change_page_make(struct page *page)
{
	const struct passages passages = passages_make(page->arena, page);
	const uint64_t *paths = node_paths(page->arena, page, true);
	struct change_page list = {
		.page = page,
		.items = ARENA_NEW(page->arena, struct change_passage,
				   passages.count),
		.hashes = ARENA_NEW(page->arena, uint64_t, passages.count),
	};

	for (uint32_t i = 0; i < passages.count; i++) {
		const struct passage *passage = &passages.items[i];
		struct slice text;

		if (passage->place != PLACE_PLAIN ||
		    passage->first_term == passage->end_term)
			continue;
		text = change_passage_text(&passages, i);
		if (text.size == 0)
			continue;
		list.hashes[list.count] = change_text_hash(text);
		list.items[list.count++] = (struct change_passage){
			.text = text,
			.place = passage->node == NO_NODE
					 ? 0
					 : paths[passage->node],
			.first_text = passage->first_text,
			.end_text = passage->end_text,
		};
	}
	change_page_number(&list);
	return list;
}

/* Return whether the default method chooses a text of the passage. */
static bool change_page_is_main(struct change_page *list,
				const struct change_passage *passage)
{
	struct page *page = list->page;

	if (list->verdicts == NULL) {
		double parameters[MAX_PARAMETERS];
		char error[256];
		struct verdict *verdicts = ARENA_NEW(
			page->arena, struct verdict, page->text_count);

		extractor_defaults(&extractor_auto, parameters);
		(void)preference_apply(
			(struct preference){SCOPE_PAGE, FAVOR_RECALL},
			&extractor_auto, parameters, error);
		extractor_auto.run(
			&(struct extractor_input){.page = page,
						  .parameters = parameters,
						  .arena = page->arena},
			verdicts);
		list->verdicts = verdicts;
	}
	for (uint32_t t = passage->first_text; t < passage->end_text; t++)
		if (list->verdicts[t].is_content)
			return true;
	return false;
}

/* Parts. */

static void parts_read(struct change_work *work)
{
	json_t *list = json_loadb(
		work->visit->parts.size == 0 ? "" : work->visit->parts.data,
		work->visit->parts.size, 0, NULL);
	uint32_t age = work->visit->quiet + 1;

	if (age > CHANGE_VISITS)
		age = CHANGE_VISITS;
	for (size_t i = 0;
	     i + 1 < json_array_size(list) && work->part_count < CHANGE_PARTS;
	     i += 2) {
		json_int_t key = json_integer_value(json_array_get(list, i));
		json_int_t bits =
			json_integer_value(json_array_get(list, i + 1));
		uint32_t aged =
			(uint32_t)(bits & ALL_VISITS) << age & ALL_VISITS;

		if (aged != 0)
			work->parts[work->part_count++] =
				(struct change_part){(uint64_t)key, aged};
	}
	json_decref(list);
	work->visits = work->visit->visits + age;
	if (work->visits > CHANGE_VISITS || work->visits < age)
		work->visits = CHANGE_VISITS;
}

static uint32_t part_bits(const struct change_work *work, uint64_t key)
{
	for (size_t i = 0; i < work->part_count; i++)
		if (work->parts[i].key == key)
			return work->parts[i].bits;
	return 0;
}

static uint32_t count_bits(uint32_t bits)
{
	uint32_t count = 0;

	for (; bits != 0; bits &= bits - 1)
		count++;
	return count;
}

static bool part_is_volatile(const struct change_work *work, uint64_t key)
{
	uint32_t count = count_bits(part_bits(work, key));

	return count >= CHANGE_MIN_VISITS && 2 * count > work->visits;
}

/* Record that the part has changed at this visit. */
static void part_touch(struct change_work *work, uint64_t key)
{
	for (size_t i = 0; i < work->part_count; i++) {
		if (work->parts[i].key != key)
			continue;
		work->parts[i].bits |= 1;
		return;
	}
	if (work->part_count < (size_t)2 * CHANGE_PARTS)
		work->parts[work->part_count++] = (struct change_part){key, 1};
}

static int part_order(const void *left, const void *right)
{
	const struct change_part *a = left;
	const struct change_part *b = right;
	uint32_t a_count = count_bits(a->bits);
	uint32_t b_count = count_bits(b->bits);

	if (a_count != b_count)
		return a_count > b_count ? -1 : 1;
	return (a->key > b->key) - (a->key < b->key);
}

/* Return the parts that are remembered: those that change most often. */
static json_t *parts_json(struct change_work *work)
{
	json_t *list = json_array();

	if (work->part_count > 0)
		qsort(work->parts, work->part_count, sizeof(*work->parts),
		      part_order);
	for (size_t i = 0; i < work->part_count && i < CHANGE_PARTS; i++) {
		json_array_append_new(
			list, json_integer((json_int_t)work->parts[i].key));
		json_array_append_new(list, json_integer(work->parts[i].bits));
	}
	return list;
}

static const struct change_words *
change_words_make(struct arena *arena, const struct change_passage *before,
		  const struct change_passage *after)
{
	struct change_words *words = ARENA_NEW(arena, struct change_words, 1);
	size_t numbers = 0;

	words->before = text_words_make(arena, before->text, MAX_WORDS);
	words->after = text_words_make(arena, after->text, MAX_WORDS);
	words->diff = text_words_diff(arena, &words->before, &words->after);
	words->is_numbers = words->before.count == words->after.count &&
			    words->before.count < MAX_WORDS;
	for (size_t i = 0; i < words->before.count && words->is_numbers; i++) {
		numbers += words->before.hashes[i] != words->after.hashes[i];
		words->is_numbers =
			words->before.masked[i] == words->after.masked[i] &&
			numbers <= MAX_NUMBERS;
	}
	return words;
}

/*
 * Call `visit` for each part of the passage that has changed. Return whether it
 * returned true for the passage, or for each of its changed numbers.
 */
static bool
change_each_part(struct change_work *work, const struct passage_change *change,
		 bool (*visit)(struct change_work *work, uint64_t key))
{
	const struct change_passage *passage =
		change->before != NULL ? change->before : change->after;
	const struct change_words *words = change->words;
	uint64_t whole = hash_chain(passage->place, 0);
	bool are_all = true;

	if (words == NULL || !words->is_numbers)
		return visit(work, whole);
	for (size_t i = 0; i < words->before.count; i++)
		if (words->before.hashes[i] != words->after.hashes[i])
			are_all &=
				visit(work, hash_chain(passage->place, i + 1));
	if (words->before.count <= SHORT_WORDS)
		are_all |= visit(work, whole);
	return are_all;
}

static bool change_touch(struct change_work *work, uint64_t key)
{
	part_touch(work, key);
	return true;
}

static bool change_ignores(struct change_work *work, uint64_t key)
{
	return part_is_volatile(work, key);
}

/* Pairs of passages. */

/* The words of a passage with numbers masked, sorted. */
struct word_bag {
	const uint64_t *words;
	size_t count;
};

static struct word_bag word_bag_make(struct arena *arena, struct slice text)
{
	struct text_words words = text_words_make(arena, text, 256);
	uint64_t *bag = ARENA_ROOM(arena, uint64_t, words.count + 1);

	if (words.count > 0) {
		memcpy(bag, words.masked, words.count * sizeof(*bag));
		qsort(bag, words.count, sizeof(*bag), order_u64);
	}
	return (struct word_bag){bag, words.count};
}

/* Return the ratio of words that two passages share, in percent. */
static size_t word_bag_percent(struct word_bag a, struct word_bag b)
{
	size_t shared = 0;
	size_t i = 0;
	size_t k = 0;

	while (i < a.count && k < b.count) {
		if (a.words[i] == b.words[k]) {
			shared++;
			i++;
			k++;
		} else if (a.words[i] < b.words[k]) {
			i++;
		} else {
			k++;
		}
	}
	return a.count + b.count == 0 ? 100
				      : 200 * shared / (a.count + b.count);
}

static void change_add(struct change_work *work,
		       const struct change_passage *before,
		       const struct change_passage *after)
{
	const struct change_words *words = NULL;

	if (work->count == CHANGE_PASSAGES) {
		work->is_truncated = true;
		return;
	}
	if (before != NULL && after != NULL)
		words = change_words_make(work->arena, before, after);
	work->changes[work->count++] =
		(struct passage_change){before, after, words};
}

/*
 * Find pairs of similar passages in the range, in the order of both pages. The
 * other passages were added or removed.
 */
static void change_pair(struct change_work *work,
			const struct diff_range *range)
{
	const struct change_passage *before =
		&work->before.items[range->before];
	const struct change_passage *after = &work->after.items[range->after];
	size_t removed = range->removed < CHANGE_PASSAGES ? range->removed
							  : CHANGE_PASSAGES;
	size_t added =
		range->added < CHANGE_PASSAGES ? range->added : CHANGE_PASSAGES;
	struct word_bag *bags = ARENA_NEW(work->arena, struct word_bag, added);
	size_t next = 0;

	work->is_truncated |= removed < range->removed || added < range->added;
	for (size_t i = 0; i < removed; i++) {
		struct word_bag bag =
			word_bag_make(work->arena, before[i].text);
		size_t end =
			next + PAIR_REACH < added ? next + PAIR_REACH : added;
		size_t k = next;
		bool is_only = range->removed == 1 && range->added == 1;

		for (; k < end; k++) {
			if (bags[k].words == NULL)
				bags[k] = word_bag_make(work->arena,
							after[k].text);
			if (is_only ||
			    word_bag_percent(bag, bags[k]) >= PAIR_PERCENT)
				break;
		}
		for (; k < end && next < k; next++)
			change_add(work, NULL, &after[next]);
		change_add(work, &before[i], k < end ? &after[k] : NULL);
		next += k < end;
	}
	for (; next < added; next++)
		change_add(work, NULL, &after[next]);
}

/* Excerpts. */

/* Return the text of the words [first, end), marked where it was cut. */
static json_t *excerpt_json(const struct text_words *words, size_t first,
			    size_t end)
{
	struct slice text = text_words_slice(words, first, end);
	struct slice cut = utf8_truncate(text, CHANGE_EXCERPT);
	struct buffer out = {0};
	json_t *value;

	if (first > 0)
		buffer_append_text(&out, "… ");
	buffer_append_slice(&out, cut);
	if (cut.size < text.size || end < words->count)
		buffer_append_text(&out, " …");
	value = json_text(buffer_slice(&out));
	buffer_free(&out);
	return value;
}

static json_t *passage_json(struct arena *arena,
			    const struct change_passage *passage)
{
	struct text_words words;

	if (passage == NULL)
		return json_null();
	words = text_words_make(arena, passage->text, MAX_WORDS);
	return words.count == 0 ? json_text(passage->text)
				: excerpt_json(&words, 0, words.count);
}

/* Append the run of words to the list. */
static void run_append(json_t *list, const struct text_words *words,
		       size_t first, size_t count)
{
	if (count > 0 && json_array_size(list) < MAX_RUNS)
		json_array_append_new(
			list,
			json_text(utf8_truncate(
				text_words_slice(words, first, first + count),
				MAX_RUN_BYTES)));
}

/* Return the words from CONTEXT_WORDS before `first` to those after `end`. */
static json_t *context_json(const struct text_words *words, size_t first,
			    size_t end)
{
	size_t from = first > CONTEXT_WORDS ? first - CONTEXT_WORDS : 0;
	size_t to = end + CONTEXT_WORDS < words->count ? end + CONTEXT_WORDS
						       : words->count;

	return from < to ? excerpt_json(words, from, to)
			 : json_text(slice_of(""));
}

/* Return the pair of passages as JSON; their words differ. */
static json_t *pair_json(const struct change_words *words)
{
	const struct text_diff *diff = &words->diff;
	const struct diff_range *first = &diff->ranges[0];
	const struct diff_range *last = &diff->ranges[diff->count - 1];
	json_t *removed = json_array();
	json_t *added = json_array();

	for (size_t i = 0; i < diff->count; i++) {
		const struct diff_range *range = &diff->ranges[i];

		run_append(removed, &words->before, range->before,
			   range->removed);
		run_append(added, &words->after, range->after, range->added);
	}
	return json_pack("{s:o, s:o, s:o, s:o}", "before",
			 context_json(&words->before, first->before,
				      last->before + last->removed),
			 "after",
			 context_json(&words->after, first->after,
				      last->after + last->added),
			 "removed", removed, "added", added);
}

static json_t *passage_change_json(struct arena *arena,
				   const struct passage_change *change)
{
	/* equal words differ after MAX_WORDS */
	if (change->words != NULL && change->words->diff.count > 0)
		return pair_json(change->words);
	return json_pack("{s:o, s:o}", "before",
			 passage_json(arena, change->before), "after",
			 passage_json(arena, change->after));
}

/* Return whether the change is one of the main text. */
static bool change_is_main(struct change_work *work,
			   const struct passage_change *change)
{
	return (change->before != NULL &&
		change_page_is_main(&work->before, change->before)) ||
	       (change->after != NULL &&
		change_page_is_main(&work->after, change->after));
}

static json_t *change_list(struct change_work *work, json_int_t *ignored_out)
{
	json_t *list = json_array();
	size_t bytes = 2;

	*ignored_out = 0;
	for (size_t i = 0; i < work->count; i++) {
		const struct passage_change *change = &work->changes[i];
		json_t *item;
		size_t size;

		if (change_each_part(work, change, change_ignores)) {
			++*ignored_out;
			continue;
		}
		if (!change_is_main(work, change))
			continue;
		if (json_array_size(list) == CHANGE_LIST) {
			work->is_truncated = true;
			continue;
		}
		item = passage_change_json(work->arena, change);
		size = json_dumpb(item, NULL, 0, JSON_COMPACT) + 1;
		if (bytes + size <= CHANGE_BYTES) {
			bytes += size;
			json_array_append(list, item);
		} else {
			work->is_truncated = true;
		}
		json_decref(item);
	}
	return list;
}

static json_t *change_result(struct change_work *work)
{
	json_int_t ignored;
	json_t *changes;
	json_t *result;

	parts_read(work);
	for (size_t i = 0; i < work->count; i++)
		if (work->changes[i].before != NULL)
			(void)change_each_part(work, &work->changes[i],
					       change_touch);
	changes = change_list(work, &ignored);
	result = json_pack("{s:o, s:I, s:o, s:I}", "changes", changes,
			   "ignored", ignored, "parts", parts_json(work),
			   "visits", (json_int_t)work->visits);
	if (work->is_truncated && json_array_size(changes) > 0)
		json_object_set_new(result, "truncated", json_true());
	return result;
}

json_t *text_change_make(const struct text_visit *visit)
{
	struct arena *arena = arena_create();
	struct change_work *work = ARENA_NEW(arena, struct change_work, 1);
	struct text_diff diff;
	json_t *result = NULL;

	work->visit = visit;
	work->arena = arena;
	work->before = change_page_make(visit->before);
	work->after = change_page_make(visit->after);
	diff = text_diff_make(arena, &(struct diff_input){
					     work->before.hashes,
					     work->before.count,
					     work->after.hashes,
					     work->after.count,
				     });
	work->is_truncated = diff.is_coarse;
	for (size_t i = 0; i < diff.count; i++)
		change_pair(work, &diff.ranges[i]);
	if (work->count > 0)
		result = change_result(work);
	arena_destroy(arena);
	return result;
}

static bool change_texts_are_sound(const json_t *list)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (!json_is_string(item))
			return false;
	}
	return list == NULL || json_is_array(list);
}

static bool change_text_is_sound(const json_t *text)
{
	return json_is_string(text) || json_is_null(text);
}

/* Return whether all items are whole numbers. */
static bool change_parts_are_sound(const json_t *parts)
{
	const json_t *item;
	size_t i;

	json_array_foreach(parts, i, item)
	{
		if (!json_is_integer(item))
			return false;
	}
	return json_is_array(parts) && i <= 2 * (size_t)CHANGE_PARTS;
}

bool text_change_is_sound(const json_t *change)
{
	const json_t *list = json_object_get(change, "changes");
	const json_t *truncated = json_object_get(change, "truncated");
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (!change_text_is_sound(json_object_get(item, "before")) ||
		    !change_text_is_sound(json_object_get(item, "after")) ||
		    !change_texts_are_sound(json_object_get(item, "removed")) ||
		    !change_texts_are_sound(json_object_get(item, "added")))
			return false;
	}
	return json_is_array(list) && i <= CHANGE_LIST &&
	       json_dumpb(list, NULL, 0, JSON_COMPACT) <= CHANGE_BYTES &&
	       (truncated == NULL || json_is_true(truncated)) &&
	       json_is_integer(json_object_get(change, "ignored")) &&
	       json_is_integer(json_object_get(change, "visits")) &&
	       change_parts_are_sound(json_object_get(change, "parts"));
}

bool text_change_is_news(const json_t *change)
{
	return json_array_size(json_object_get(change, "changes")) > 0;
}
