#include "page/skeleton.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "page/attribute.h"
#include "page/scanner.h"
#include "page/text.h"
#include "store/arena.h"
#include "store/hash.h"
#include "store/memory.h"

enum {
	SLOTS = 2048,  /* a power of two over MAX_UNKNOWN_TAGS */
	MAX_NAME = 64, /* bytes of an unknown name that are compared */
	TAG_NUMBERS = TAG_COUNT + MAX_UNKNOWN_TAGS,
};

struct writer {
	struct skeleton *skeleton;
	struct arena *arena;
	struct slice source;
	size_t capacity;            /* of skeleton->pieces */
	struct slice *names;        /* of unknown tags [MAX_UNKNOWN_TAGS] */
	uint16_t slots[SLOTS];      /* index + 1 of a name, 0: free */
	uint32_t open[TAG_NUMBERS]; /* start tags without an end tag */
	uint32_t start_count;
	uint32_t max_nodes;
	size_t text_count;
	size_t max_texts;
};

static const char *source_at(const struct writer *writer, uint32_t position)
{
	assert(position <= writer->source.size);
	return (const char *)writer->source.data + position;
}

/*
 * The number of an unknown name. When there are too many, all further names
 * share the last number.
 */
static uint16_t intern(struct writer *writer, struct slice name)
{
	struct skeleton *skeleton = writer->skeleton;
	uint32_t count = skeleton->unknown_tag_count;
	size_t slot = hash64(name.data, name.size, 0) % SLOTS;

	assert(count <= MAX_UNKNOWN_TAGS);
	for (; writer->slots[slot] != 0; slot = (slot + 1) % SLOTS) {
		uint16_t index = (uint16_t)(writer->slots[slot] - 1);

		assert(index < count);
		if (slice_equal(writer->names[index], name))
			return (uint16_t)(TAG_COUNT + index);
	}
	if (count == MAX_UNKNOWN_TAGS)
		return TAG_COUNT + MAX_UNKNOWN_TAGS - 1;
	if (writer->names == NULL)
		writer->names = ARENA_NEW(writer->arena, struct slice,
					  MAX_UNKNOWN_TAGS);
	skeleton->unknown_tags = writer->names;
	if (count == MAX_UNKNOWN_TAGS - 1) {
		skeleton->unknown_tag_count = MAX_UNKNOWN_TAGS;
		writer->names[count] = slice_of("x-other");
		return (uint16_t)(TAG_COUNT + count);
	}
	writer->names[count].data =
		arena_copy(writer->arena, name.data, name.size);
	writer->names[count].size = name.size;
	skeleton->unknown_tag_count++;
	writer->slots[slot] = (uint16_t)(count + 1);
	return (uint16_t)(TAG_COUNT + count);
}

static uint16_t tag_number(struct writer *writer, const struct token *token)
{
	const char *name = source_at(writer, token->name.begin);
	size_t size = token->name.end - token->name.begin;
	char folded[MAX_NAME] = {0};

	if (token->tag < TAG_COUNT)
		return token->tag;
	if (size > MAX_NAME) {
		size = MAX_NAME;
		while (((unsigned char)name[size] & 0xC0) == 0x80)
			size--; /* do not cut a character */
	}
	assert(size <= MAX_NAME);
	for (size_t i = 0; i < size; i++)
		folded[i] = lower(name[i]);
	return intern(writer, (struct slice){folded, size});
}

static void add_piece(struct writer *writer, enum piece_kind kind, uint16_t tag,
		      struct span source)
{
	struct skeleton *skeleton = writer->skeleton;

	assert(source.begin <= source.end && source.end <= writer->source.size);
	assert(skeleton->count == 0 ||
	       skeleton->pieces[skeleton->count - 1].source.begin <=
		       source.begin);
	skeleton->pieces = mem_grow(skeleton->pieces, skeleton->count,
				    &writer->capacity, sizeof(struct piece));
	skeleton->pieces[skeleton->count++] = (struct piece){
		.offset = (uint32_t)skeleton->markup.size,
		.kind = (uint8_t)kind,
		.tag = tag,
		.source = source,
	};
}

static void write_tag(struct writer *writer, const char *open, uint16_t tag,
		      const char *close)
{
	struct buffer *markup = &writer->skeleton->markup;
	char unknown[16];

	assert(tag < TAG_NUMBERS);
	buffer_append_text(markup, open);
	if (tag < TAG_COUNT) {
		buffer_append_slice(markup, tag_name(tag));
	} else {
		(void)snprintf(unknown, sizeof(unknown), "u%d",
			       tag - TAG_COUNT);
		buffer_append_text(markup, unknown);
	}
	buffer_append_text(markup, close);
}

static void add_start(struct writer *writer, const struct token *token)
{
	uint16_t tag;
	unsigned flags;
	bool is_empty;

	if (writer->start_count == writer->max_nodes) {
		writer->skeleton->is_truncated = true;
		return;
	}
	tag = tag_number(writer, token);
	flags = tag_flags(tag);
	is_empty = (flags & TAG_IS_VOID) != 0 ||
		   (token->is_empty && (flags & TAG_IS_RAW) == 0);
	add_piece(writer, PIECE_START, tag, token->source);
	write_tag(writer, "<", tag, is_empty ? "/>" : ">");
	if (!is_empty)
		writer->open[tag]++;
	writer->start_count++;
	writer->skeleton->last_begin = token->source.begin;
}

static void add_end(struct writer *writer, const struct token *token)
{
	uint16_t tag = tag_number(writer, token);

	if (tag == TAG_body) {
		writer->skeleton->body_end = token->source.end;
	} else if (tag == TAG_html) {
		writer->skeleton->html_end = token->source.end;
	} else {
		writer->skeleton->last_begin = token->source.begin;
		if (writer->open[tag] == 0)
			return;
		assert(writer->open[tag] > 0);
		writer->open[tag]--;
		add_piece(writer, PIECE_END, tag, token->source);
		write_tag(writer, "</", tag, ">");
	}
}

/* Whether text is blank for libxml2, to which a no-break space is text. */
static bool is_blank(const char *at, const char *end)
{
	while (at < end && is_space(*at))
		at++;
	return at == end;
}

static void add_text(struct writer *writer, const struct token *token)
{
	struct skeleton *skeleton = writer->skeleton;

	if (is_blank(source_at(writer, token->source.begin),
		     source_at(writer, token->source.end)))
		return;
	if (writer->text_count == writer->max_texts) {
		skeleton->is_truncated = true;
		return;
	}
	add_piece(writer, PIECE_TEXT, TAG_COUNT, token->source);
	if (skeleton->count < 2 ||
	    skeleton->pieces[skeleton->count - 2].kind != PIECE_TEXT)
		buffer_append_byte(&skeleton->markup, 'x');
	writer->text_count++;
	skeleton->last_begin = token->source.begin;
}

static void add_token(struct writer *writer, const struct token *token)
{
	switch (token->kind) {
	case TOKEN_START:
		if (!token->is_open)
			add_start(writer, token);
		break;
	case TOKEN_END:
		if (!token->is_open)
			add_end(writer, token);
		break;
	case TOKEN_TEXT:
		add_text(writer, token);
		break;
	default:
		break;
	}
}

void skeleton_build(struct skeleton *skeleton, struct arena *arena,
		    struct slice source, uint32_t max_nodes, size_t max_texts)
{
	struct writer *writer = mem_alloc(1, sizeof(*writer));
	struct scanner scanner = {.source = source};
	struct token token;
	uint32_t end = (uint32_t)source.size;

	assert(source.size <= UINT32_MAX);
	*skeleton = (struct skeleton){0};
	writer->skeleton = skeleton;
	writer->arena = arena;
	writer->source = source;
	writer->max_nodes = max_nodes;
	writer->max_texts = max_texts;
	while (!skeleton->is_truncated && scanner_next(&scanner, &token)) {
		add_token(writer, &token);
		if (skeleton->is_truncated)
			end = token.source.begin;
	}
	add_piece(writer, PIECE_EOF, TAG_COUNT, (struct span){end, end});
	buffer_append_text(&skeleton->markup, "<!---->");
	assert(skeleton->pieces[skeleton->count - 1].kind == PIECE_EOF);
	free(writer);
}

void skeleton_free(struct skeleton *skeleton)
{
	buffer_free(&skeleton->markup);
	free(skeleton->pieces);
	skeleton->pieces = NULL;
}
