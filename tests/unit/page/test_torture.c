/*
 * html/ of web.tar.zst in $TEMPLATED_SHARED or ../shared: the torture pages of
 * libxml2, and the tokenizer tests of html5lib, whose tokens must equal ours.
 */

#include "base/file.h"
#include "page/entity.h"
#include "page/scanner.h"
#include "tests/unit/page/invariant.h"
#include "tests/unit/page/page_of.h"
#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"
#include "tests/unit/webdata.h"

enum { MAX_PAGE_BYTES = 10 << 20 };

static char root[WEBDATA_FOLDER];
static bool is_there;

static void unpack(void)
{
	is_there = webdata_unpack("html", root);
}

static void clean(void)
{
	webdata_remove(root);
}

static void check_page(const char *path, struct slice body)
{
	AUTO_PAGE *page = page_of_slice(body, &page_limits_default);
	const char *problem = page_problem(page);

	ck_assert_msg(problem == NULL, "%s: %s", path, problem);
	ck_assert_msg(!page->is_truncated, "%s is truncated", path);
}

FIXTURE(.setup_once = unpack, .teardown_once = clean);

TEST(every_file_is_a_page)
{
	static const char *const any[] = {"", NULL};
	struct file_list list;
	char path[4096];

	if (!is_there)
		return;
	ASSERT_OK(file_list(root, any, &list));
	for (size_t i = 0; i < list.count; i++) {
		AUTO_BUFFER body = {0};

		(void)snprintf(path, sizeof(path), "%s/%s", root,
			       list.paths[i]);
		ASSERT_OK(file_read(path, MAX_PAGE_BYTES, &body));
		check_page(list.paths[i], buffer_slice(&body));
	}
	printf("%zu files\n", list.count);
	ck_assert_uint_gt(list.count, 250);
	file_list_free(&list);
}

/* What our scanner makes of a source, as html5lib writes it down. */
struct tokens {
	struct arena *arena;
	struct slice source;
	json_t *list;
	struct buffer text; /* that is not in the list yet */
};

static struct slice bytes_of(const struct tokens *tokens, struct span span)
{
	return (struct slice){(const char *)tokens->source.data + span.begin,
			      span.end - span.begin};
}

static void end_text(struct tokens *tokens)
{
	if (tokens->text.size > 0)
		json_array_append_new(tokens->list,
				      json_pack("[s, s%]", "Character",
						tokens->text.data,
						tokens->text.size));
	buffer_clear(&tokens->text);
}

static void add_text(struct tokens *tokens, struct slice raw)
{
	char *out = buffer_reserve(&tokens->text, entity_room(raw.size) + 1);

	tokens->text.size += entity_decode(raw, false, out);
}

static json_t *attributes_json(struct tokens *tokens, struct slice tag)
{
	const char *begin = tag.data;
	const char *end = begin + tag.size;
	struct attribute_cursor cursor = {
		.at = lex_name_end(begin + 1, end),
		.end = end,
	};
	struct attribute_list list;
	json_t *attributes = json_object();

	attribute_list_begin(&list, tokens->arena, 1000, 1000);
	(void)attribute_list_read(&list, &cursor);
	for (uint32_t i = 0; i < list.count; i++) {
		struct slice name = list.items[i].name;
		struct slice value = list.items[i].value;

		json_object_setn_new(attributes, name.data, name.size,
				     json_stringn(value.data, value.size));
	}
	free(list.items);
	attribute_list_end(&list);
	return attributes;
}

static void add_tag(struct tokens *tokens, const struct token *token)
{
	struct slice name = bytes_of(tokens, token->name);
	char *folded = arena_alloc(tokens->arena, name.size + 1, 1);
	json_t *tag;

	for (size_t i = 0; i < name.size; i++)
		folded[i] = lower(((const char *)name.data)[i]);
	tag = json_pack("[s, s%]",
			token->kind == TOKEN_START ? "StartTag" : "EndTag",
			folded, name.size);
	if (token->kind == TOKEN_START)
		json_array_append_new(
			tag, attributes_json(tokens,
					     bytes_of(tokens, token->source)));
	if (token->kind == TOKEN_START && token->is_empty)
		json_array_append_new(tag, json_true());
	json_array_append_new(tokens->list, tag);
}

static void add_token(struct tokens *tokens, const struct token *token,
		      bool is_plain)
{
	if (token->kind == TOKEN_TEXT && !is_plain) {
		add_text(tokens, bytes_of(tokens, token->source));
		return;
	}
	if (token->kind == TOKEN_TEXT || token->kind == TOKEN_RAW) {
		buffer_append_slice(&tokens->text,
				    bytes_of(tokens, token->source));
		return;
	}
	end_text(tokens);
	if ((token->kind == TOKEN_START || token->kind == TOKEN_END) &&
	    !token->is_open)
		add_tag(tokens, token);
	else if (token->kind == TOKEN_COMMENT)
		json_array_append_new(tokens->list,
				      json_pack("[s]", "Comment"));
}

static json_t *tokens_of(struct slice source, uint16_t raw, bool is_plain)
{
	struct tokens tokens = {
		.arena = arena_create(),
		.source = source,
		.list = json_array(),
	};
	struct scanner scanner = {.source = source, .raw = raw};
	struct token token;

	for (bool is_first = true; scanner_next(&scanner, &token);
	     is_first = false)
		add_token(&tokens, &token, is_plain && is_first);
	end_text(&tokens);
	buffer_free(&tokens.text);
	arena_destroy(tokens.arena);
	return tokens.list;
}

/* What html5lib expects, without what comments and doctypes say. */
static json_t *expected_of(const json_t *test)
{
	json_t *list = json_array();
	json_t *token;
	size_t i;

	json_array_foreach(json_object_get(test, "output"), i, token)
	{
		const char *kind = json_string_value(json_array_get(token, 0));

		if (strcmp(kind, "Comment") == 0 ||
		    strcmp(kind, "DOCTYPE") == 0)
			json_array_append_new(list,
					      json_pack("[s]", "Comment"));
		else
			json_array_append(list, token);
	}
	return list;
}

/* A start state of a test. */
struct state {
	const char *name;
	uint16_t tag;  /* whose content it is; 0: no raw content */
	bool is_plain; /* references are plain text */
};

static const struct state states[] = {
	{"Data state", 0, false},
	{"RCDATA state", TAG_title, false},
	{"RAWTEXT state", TAG_style, true},
	{"Script data state", TAG_script, true},
	{"PLAINTEXT state", TAG_plaintext, true},
};

/* The element that the tag of the test ends; TAG_COUNT for other states. */
static uint16_t raw_of(const struct state *state, const json_t *test)
{
	const char *last =
		json_string_value(json_object_get(test, "lastStartTag"));
	uint16_t tag;

	if (last == NULL || state->tag == 0 || state->tag == TAG_plaintext)
		return state->tag;
	tag = tag_from_name(slice_of(last));
	return tag < TAG_COUNT && lex_is_raw(tag) &&
			       (tag == TAG_script) == (state->tag == TAG_script)
		       ? tag
		       : TAG_COUNT;
}

/* CR LF and CR made LF, which we leave to text_collapse(), and "</>", which is
 * a token here, dropped. */
static void preprocess(struct slice input, struct buffer *out)
{
	const char *at = input.data;
	const char *end = at + input.size;

	for (; at < end; at++) {
		if (end - at >= 3 && memcmp(at, "</>", 3) == 0)
			at += 2;
		else if (*at != '\r')
			buffer_append_byte(out, *at);
		else if (at + 1 == end || at[1] != '\n')
			buffer_append_byte(out, '\n');
	}
}

struct tally {
	unsigned compared;
	unsigned left_out;
};

static void check_test(const json_t *test, const struct state *state,
		       struct tally *tally)
{
	const json_t *text = json_object_get(test, "input");
	struct slice input = {json_string_value(text),
			      json_string_length(text)};
	struct buffer source = {0};
	json_t *expected;
	json_t *tokens;

	/* a NUL is a space in a page, and "\\uD800" no character */
	if (raw_of(state, test) == TAG_COUNT ||
	    memchr(input.data, '\0', input.size) != NULL ||
	    json_is_true(json_object_get(test, "doubleEscaped"))) {
		tally->left_out++;
		return;
	}
	preprocess(input, &source);
	expected = expected_of(test);
	tokens = tokens_of(buffer_slice(&source), raw_of(state, test),
			   state->is_plain);
	tally->compared++;
	ck_assert_msg(json_equal(tokens, expected), "%s: %s: %s", state->name,
		      json_string_value(text),
		      json_dumps(tokens, JSON_COMPACT));
	json_decref(tokens);
	json_decref(expected);
	buffer_free(&source);
}

static const struct state *state_of(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(states); i++)
		if (strcmp(states[i].name, name) == 0)
			return &states[i];
	return NULL;
}

/* In each of its states. */
static void check_states(const json_t *test, struct tally *tally)
{
	json_t *name;
	size_t i;

	if (json_object_get(test, "initialStates") == NULL)
		check_test(test, &states[0], tally);
	json_array_foreach(json_object_get(test, "initialStates"), i, name)
	{
		const struct state *state = state_of(json_string_value(name));

		if (state == NULL)
			tally->left_out++;
		else
			check_test(test, state, tally);
	}
}

static void check_tests(const char *name, struct tally *tally)
{
	char path[4096];
	AUTO_JSON *file;
	json_t *test;
	size_t i;

	(void)snprintf(path, sizeof(path), "%s/html5lib/tokenizer/%s.test",
		       root, name);
	file = json_load_file(path, JSON_ALLOW_NUL, NULL);
	ck_assert_msg(file != NULL, "%s", path);
	json_array_foreach(json_object_get(file, "tests"), i, test)
	{
		check_states(test, tally);
	}
}

/* Skipped: CDATA, which the scanner does not support, NULs, and
 * noncharacters. */
TEST(tokens_are_those_of_the_standard)
{
	static const char *const names[] = {
		"contentModelFlags",
		"domjs",
		"entities",
		"escapeFlag",
		"namedEntities",
		"numericEntities",
		"pendingSpecChanges",
		"test1",
		"test2",
		"test3",
		"test4",
		"unicodeChars",
		"unicodeCharsProblematic",
	};
	struct tally tally = {0};

	if (!is_there)
		return;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		check_tests(names[i], &tally);
	printf("%u compared, %u left out\n", tally.compared, tally.left_out);
	ck_assert_uint_ge(tally.compared, 6600);
}
