#include "page/builder.h"

#include <assert.h>
#include <stdlib.h>

#include <libxml/HTMLparser.h>

#include "page/attribute.h"
#include "page/attribute_list.h"
#include "page/entity.h"
#include "page/text.h"
#include "store/arena.h"
#include "store/memory.h"

struct builder {
	struct page *page;
	const struct skeleton *skeleton;
	const struct page_limits *limits;
	htmlParserCtxtPtr parser;
	size_t piece;    /* the current one, in which the parser stands */
	size_t closing;  /* end tag that has closed its element, + 1 */
	bool is_stopped; /* at a limit */
	uint32_t top;    /* the open element, NO_NODE: none */
	struct node *nodes;
	size_t node_capacity;
	uint32_t node_count;
	struct text *texts;
	size_t text_capacity;
	uint32_t text_count;
	struct buffer text;
	struct attribute_list attributes;
};

/* The piece at whose end, or inside which, the parser stands. */
static const struct piece *find_piece(struct builder *builder)
{
	const xmlParserInput *input = builder->parser->input;
	const struct skeleton *skeleton = builder->skeleton;
	size_t position =
		(size_t)(input->cur - input->base) + (size_t)input->consumed;

	assert(skeleton->count > 0);
	while (builder->piece + 1 < skeleton->count &&
	       skeleton->pieces[builder->piece + 1].offset < position)
		builder->piece++;
	assert(builder->piece < skeleton->count);
	return &skeleton->pieces[builder->piece];
}

/*
 * Whether `name` is the tag of the piece; otherwise the parser has implied the
 * element.
 */
static bool is_written(const struct builder *builder, const struct piece *piece,
		       const char *name)
{
	const char *markup = builder->skeleton->markup.data + piece->offset + 1;
	size_t length = strlen(name);

	assert(piece->offset < builder->skeleton->markup.size ||
	       piece->kind == PIECE_EOF);
	return piece->kind == PIECE_START &&
	       strncmp(markup, name, length) == 0 &&
	       (markup[length] == '>' || markup[length] == '/');
}

static void stop(struct builder *builder)
{
	builder->page->is_truncated = true;
	builder->is_stopped = true;
	xmlStopParser(builder->parser);
}

static unsigned flags_of_tag(uint16_t tag)
{
	switch (tag) {
	case TAG_head:
	case TAG_title:
		return TEXT_IS_TITLE;
	case TAG_noscript:
		return TEXT_IS_NOSCRIPT;
	case TAG_button:
	case TAG_select:
	case TAG_option:
	case TAG_optgroup:
	case TAG_datalist:
	case TAG_textarea:
	case TAG_label:
		return TEXT_IS_CONTROL;
	case TAG_template:
	case TAG_svg:
	case TAG_iframe:
		return TEXT_IS_TEMPLATE;
	default:
		return 0;
	}
}

static void add_attributes(struct builder *builder, struct node *node)
{
	const char *source = builder->page->source.data;
	struct slice tag = {source + node->source.begin,
			    node->source.end - node->source.begin};
	unsigned flags = attribute_list_add(&builder->attributes, tag);
	uint32_t count = builder->attributes.count - node->first_attribute;

	assert(node->source.begin < node->source.end);
	assert(node->source.end <= builder->page->source.size);
	assert(count <= UINT16_MAX);
	node->attribute_count = (uint16_t)count;
	if (node->tag != TAG_a)
		flags &= ~(unsigned)TEXT_IS_LINK;
	node->flags = (uint16_t)(node->flags | flags);
}

static void add_node(struct builder *builder, const struct piece *piece,
		     uint16_t tag, bool is_implied)
{
	struct node node = {
		.parent = builder->top,
		.first_text = builder->text_count,
		.first_attribute = builder->attributes.count,
		.tag = tag,
		.flags = (uint16_t)flags_of_tag(tag),
		.source = piece->source,
	};

	assert(builder->top == NO_NODE || builder->top < builder->node_count);
	if (builder->top != NO_NODE) {
		const struct node *parent = &builder->nodes[builder->top];

		node.depth = (uint16_t)(parent->depth + 1);
		node.flags |= parent->flags;
	}
	if (node.depth >= builder->limits->max_depth ||
	    builder->node_count >= builder->limits->max_nodes) {
		stop(builder);
		return;
	}
	if (is_implied)
		node.source.end = node.source.begin;
	else
		add_attributes(builder, &node);
	builder->nodes = mem_grow(builder->nodes, builder->node_count,
				  &builder->node_capacity, sizeof(node));
	builder->nodes[builder->node_count] = node;
	builder->top = builder->node_count++;
}

static void on_start(void *user, const xmlChar *name, const xmlChar **values)
{
	struct builder *builder = user;
	const char *text = (const char *)name;
	const struct piece *piece;

	(void)values;
	if (builder->is_stopped)
		return;
	piece = find_piece(builder);
	if (is_written(builder, piece, text))
		add_node(builder, piece, piece->tag, false);
	else
		add_node(builder, piece, tag_from_name(slice_of(text)), true);
}

/*
 * Where an element without an end tag ends: at the last </body> or </html> if
 * nothing follows it, otherwise with the page.
 */
static uint32_t end_of_page(const struct builder *builder, bool is_root)
{
	const struct skeleton *skeleton = builder->skeleton;
	uint32_t end = skeleton->body_end;

	assert(skeleton->count > 0);
	if (end <= skeleton->last_begin ||
	    (is_root && end < skeleton->html_end))
		end = skeleton->html_end;
	return end > skeleton->last_begin && !skeleton->is_truncated
		       ? end
		       : skeleton->pieces[skeleton->count - 1].source.begin;
}

/* Where the node that the parser closes at `piece` ends in the source. */
static uint32_t source_end(struct builder *builder, const struct node *node,
			   const struct piece *piece)
{
	size_t index = (size_t)(piece - builder->skeleton->pieces);

	switch (piece->kind) {
	case PIECE_START: /* an empty element, or one that is not allowed there
			   */
		return node->source.begin == piece->source.begin
			       ? node->source.end
			       : piece->source.begin;
	case PIECE_END:
		if (node->tag != piece->tag || builder->closing == index + 1)
			return piece->source.begin;
		builder->closing = index + 1;
		return piece->source.end;
	case PIECE_EOF:
		return end_of_page(builder, node->tag == TAG_html);
	default:
		return piece->source.begin;
	}
}

static void close_top(struct builder *builder, const struct piece *piece)
{
	struct node *node = &builder->nodes[builder->top];

	assert(builder->top < builder->node_count);
	node->end = builder->node_count;
	node->end_text = builder->text_count;
	node->source.end = source_end(builder, node, piece);
	builder->top = node->parent;
	assert(node->source.begin <= node->source.end);
	assert(node->first_text <= node->end_text);
	assert(builder->top == NO_NODE || builder->top < node->end);
}

static void on_end(void *user, const xmlChar *name)
{
	struct builder *builder = user;

	(void)name; /* always that of the open element */
	if (!builder->is_stopped && builder->top != NO_NODE)
		close_top(builder, find_piece(builder));
}

static void add_text(struct builder *builder, struct span source)
{
	struct slice raw = {(const char *)builder->page->source.data +
				    source.begin,
			    source.end - source.begin};
	struct text text = {
		.node = builder->top,
		.begin = (uint32_t)builder->text.size,
		.source = source,
	};
	char *out = buffer_reserve(&builder->text, entity_room(raw.size));

	assert(source.begin < source.end &&
	       source.end <= builder->page->source.size);
	text.length = (uint32_t)entity_decode(raw, false, out);
	assert(text.length <= raw.size);
	if (text_is_blank((struct slice){out, text.length}))
		return;
	if (builder->top != NO_NODE)
		text.flags = builder->nodes[builder->top].flags;
	builder->text.size += text.length;
	builder->texts = mem_grow(builder->texts, builder->text_count,
				  &builder->text_capacity, sizeof(text));
	builder->texts[builder->text_count++] = text;
}

/* The "x" stands for one or more texts without a tag between them. */
static void on_text(void *user, const xmlChar *bytes, int length)
{
	struct builder *builder = user;
	const struct piece *piece;

	(void)bytes;
	(void)length;
	if (builder->is_stopped)
		return;
	for (piece = find_piece(builder); piece->kind == PIECE_TEXT; piece++)
		add_text(builder, piece->source);
}

/* Close the elements that were open when the parser stopped. */
static void close_all(struct builder *builder)
{
	const struct piece *piece = &builder->skeleton->pieces[builder->piece];

	while (builder->top != NO_NODE)
		close_top(builder, piece);
	assert(builder->top == NO_NODE);
}

static void parse(struct builder *builder)
{
	const struct skeleton *skeleton = builder->skeleton;
	htmlSAXHandler handler = {
		.startElement = on_start,
		.endElement = on_end,
		.characters = on_text,
	};

	builder->parser = htmlCreatePushParserCtxt(
		&handler, builder, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
	if (builder->parser == NULL)
		mem_exhausted("libxml2");
	htmlCtxtUseOptions(builder->parser,
			   HTML_PARSE_RECOVER | HTML_PARSE_NOERROR |
				   HTML_PARSE_NOWARNING | HTML_PARSE_NONET |
				   HTML_PARSE_IGNORE_ENC);
	htmlParseChunk(builder->parser, skeleton->markup.data,
		       (int)skeleton->markup.size, 1);
	assert(builder->parser->myDoc == NULL);
	close_all(builder);
	htmlFreeParserCtxt(builder->parser);
}

/* Move an array that grew into the arena. */
static const void *settle(struct arena *arena, void *items, size_t count,
			  size_t size)
{
	void *copy = arena_alloc(arena, count, size);

	if (count > 0)
		memcpy(copy, items, count * size);
	free(items);
	return copy;
}

void builder_run(struct page *page, const struct skeleton *skeleton,
		 const struct page_limits *limits, size_t max_attributes)
{
	struct builder builder = {
		.page = page,
		.skeleton = skeleton,
		.limits = limits,
		.top = NO_NODE,
	};
	struct arena *arena = page->arena;

	attribute_list_begin(&builder.attributes, arena, limits->max_attributes,
			     max_attributes);
	parse(&builder);
	page->node_count = builder.node_count;
	page->nodes = settle(arena, builder.nodes, builder.node_count,
			     sizeof(*builder.nodes));
	page->text_count = builder.text_count;
	page->texts = settle(arena, builder.texts, builder.text_count,
			     sizeof(*builder.texts));
	page->attribute_count = builder.attributes.count;
	page->attributes =
		settle(arena, builder.attributes.items,
		       builder.attributes.count, sizeof(struct attribute));
	page->is_truncated |= builder.attributes.is_truncated;
	attribute_list_end(&builder.attributes);
	page->text_bytes = builder.text.size;
	page->text = arena_copy(arena, builder.text.data, builder.text.size);
	buffer_free(&builder.text);
}
