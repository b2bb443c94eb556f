#include "extract/render/media.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/utf8.h"
#include "extract/render/layout.h"
#include "extract/render/render.h"
#include "extract/text/characters.h"
#include "extract/text/word.h"
#include "page/markup.h"
#include "page/page.h"
#include "page/scanner.h"

enum {
	MAX_FIGURE_DEPTH = 8, /* maximum number of elements between an img and
				 its figure */
	MAX_CAPTION_TEXTS = LIMIT(
		32,
		1), /* maximum number of texts of a figure that are checked */
	MIN_PIXELS = 3, /* smaller images are tracking pixels */
	MAX_LABEL_BYTES = 1024,
	MAX_PICTURE_SOURCES = 16,
	MAX_PLACEHOLDER_NAME = 64, /* longer file names are of real images */
};

void image_filter_end(struct image_filter *filter)
{
	buffer_free(&filter->source);
	buffer_free(&filter->label);
	buffer_free(&filter->candidate);
}

static bool is_kept_text(const struct render_request *request, uint32_t text)
{
	return text < request->page->text_count &&
	       request->verdicts[text].is_content;
}

/* Return true for what a browser without players shows. */
static bool is_fallback(const struct page *page, uint32_t text)
{
	uint32_t node = page->texts[text].node;
	uint16_t tag = node == NO_NODE ? 0 : page->nodes[node].tag;

	return tag == TAG_video || tag == TAG_audio || tag == TAG_object;
}

static bool is_between_kept(const struct render_request *request,
			    const struct node *node)
{
	const struct page *page = request->page;
	uint32_t next = node->end_text;

	while (next < page->text_count &&
	       next < node->end_text + MAX_CAPTION_TEXTS &&
	       is_fallback(page, next))
		next++;
	return node->first_text > 0 &&
	       is_kept_text(request, node->first_text - 1) &&
	       is_kept_text(request, next);
}

static const struct node *figure_of(const struct page *page, uint32_t node)
{
	for (unsigned i = 0; i < MAX_FIGURE_DEPTH; i++) {
		if (node == NO_NODE)
			break;
		if (page->nodes[node].tag == TAG_figure)
			return &page->nodes[node];
		node = page->nodes[node].parent;
	}
	return NULL;
}

static bool has_place(const struct render_request *request, uint32_t node)
{
	const struct node *figure = figure_of(request->page, node);

	if (is_between_kept(request, &request->page->nodes[node]))
		return true;
	if (figure == NULL)
		return false;
	for (uint32_t i = figure->first_text;
	     i < figure->end_text && i < figure->first_text + MAX_CAPTION_TEXTS;
	     i++)
		if (is_kept_text(request, i))
			return true;
	return is_between_kept(request, figure);
}

static bool is_tiny(const struct page *page, uint32_t node, const char *name)
{
	struct slice size = page_attribute(page, node, name);
	char digits[8] = "";

	if (size.size == 0 || size.size >= sizeof(digits) ||
	    memchr(size.data, '%', size.size) != NULL)
		return false;
	memcpy(digits, size.data, size.size);
	return is_digit(digits[0]) && strtoul(digits, NULL, 10) < MIN_PIXELS;
}

static bool is_visible_image(const struct page *page, uint32_t node)
{
	const unsigned unseen =
		TEXT_IS_HIDDEN | TEXT_IS_TITLE | TEXT_IS_TEMPLATE;
	uint32_t parent = page->nodes[node].parent;

	/*
	 * check the parent for TEXT_IS_TEMPLATE, because the flag of an iframe
	 * applies only to its content
	 */
	return (page->nodes[node].flags & TEXT_IS_HIDDEN) == 0 &&
	       (parent == NO_NODE ||
		(page->nodes[parent].flags & unseen) == 0) &&
	       !is_tiny(page, node, "width") && !is_tiny(page, node, "height");
}

/*
 * Return true if the image `node` belongs to the kept text: it is visible and
 * no tracking pixel. In addition, the texts before and after the image must be
 * kept, or the texts before and after its figure, or one of the first texts of
 * its figure.
 */
static bool image_belongs(const struct render_request *request, uint32_t node)
{
	return has_place(request, node) &&
	       is_visible_image(request->page, node);
}

static bool is_set_blank(char byte)
{
	return byte != '\0' && strchr(" \t\r\n\f", byte) != NULL;
}

/*
 * Return the size in a descriptor such as "2x" or "800w", times 1,000; a URL
 * without one has 1x.
 */
static uint64_t set_size(struct slice descriptor)
{
	uint64_t size = 0;
	size_t at = 0;

	while (is_digit(slice_byte(descriptor, at)) && at < 9)
		size = 10 * size +
		       (uint64_t)(slice_byte(descriptor, at++) - '0');
	size *= 1000;
	if (slice_byte(descriptor, at) == '.' &&
	    is_digit(slice_byte(descriptor, at + 1)))
		size += 100 * (uint64_t)(slice_byte(descriptor, at + 1) - '0');
	return at == 0 ? 1000 : size;
}

/*
 * Return the URL of the largest image of a srcset, such as "b.jpg" of
 * "a.jpg, b.jpg 2x".
 */
static struct slice largest_of_set(struct slice set)
{
	const char *bytes = set.data;
	struct slice largest = {NULL, 0};
	uint64_t largest_size = 0;
	size_t at = 0;

	while (at < set.size) {
		struct slice url;
		struct slice descriptor;
		uint64_t size;

		while (at < set.size &&
		       (is_set_blank(bytes[at]) || bytes[at] == ','))
			at++;
		url = (struct slice){bytes + at, 0};
		while (at < set.size && !is_set_blank(bytes[at])) {
			at++;
			url.size++;
		}
		descriptor = (struct slice){bytes + at, 0};
		if (url.size > 0 && slice_byte(url, url.size - 1) == ',') {
			url.size--;
		} else {
			while (at < set.size && is_set_blank(bytes[at]))
				at++;
			descriptor.data = bytes + at;
			while (at < set.size && bytes[at] != ',') {
				at++;
				descriptor.size++;
			}
		}
		size = set_size(descriptor);
		if (url.size > 0 && size > largest_size) {
			largest = url;
			largest_size = size;
		}
	}
	return largest;
}

#define NAME(name)                     \
	{                              \
		name, sizeof(name) - 1 \
	}

/* Parts of the names of images that only hold the place of another one. */
static const struct slice placeholders[] = {
	NAME("1x1"),      NAME("blank."),    NAME("clear."),
	NAME("grey."),    NAME("lazy-load"), NAME("lazyload"),
	NAME("loading."), NAME("pixel."),    NAME("placeholder"),
	NAME("spacer."),  NAME("spinner"),   NAME("transparent."),
};

static bool begins_placeholder(struct slice text)
{
	for (size_t i = 0; i < sizeof(placeholders) / sizeof(placeholders[0]);
	     i++) {
		struct slice name = placeholders[i];

		if (slice_byte(text, 0) == slice_byte(name, 0) &&
		    slice_byte(text, 1) == slice_byte(name, 1) &&
		    text.size >= name.size &&
		    memcmp(text.data, name.data, name.size) == 0)
			return true;
	}
	return false;
}

/*
 * Return true if the last part of the URL names an image that only holds the
 * place of another one.
 */
static bool is_placeholder(struct slice url)
{
	const char *bytes = url.data;
	size_t end = 0;
	size_t begin;

	while (end < url.size && bytes[end] != '?' && bytes[end] != '#')
		end++;
	begin = end;
	while (begin > 0 && bytes[begin - 1] != '/')
		begin--;
	if (end - begin > MAX_PLACEHOLDER_NAME)
		return false;
	for (size_t at = begin; at < end; at++)
		switch (bytes[at]) {
		case '1':
		case 'b':
		case 'c':
		case 'g':
		case 'l':
		case 'p':
		case 's':
		case 't':
			if (begins_placeholder(
				    (struct slice){bytes + at, end - at}))
				return true;
			break;
		default:
			break;
		}
	return false;
}

/* Append the URL of an attribute, and return true if it has one. */
static bool append_source(const struct render_request *request,
			  struct slice value, bool is_set, struct buffer *out)
{
	if (is_set && value.size > 0)
		value = largest_of_set(value);
	return value.size > 0 && !is_placeholder(value) &&
	       link_address_append(out, request, value);
}

/* Append the URL of a source of the picture around an img. */
static bool append_picture_source(const struct render_request *request,
				  uint32_t node, struct buffer *out)
{
	const struct page *page = request->page;
	uint32_t picture = page->nodes[node].parent;

	if (picture == NO_NODE || page->nodes[picture].tag != TAG_picture)
		return false;
	for (uint32_t i = picture + 1;
	     i < node && i <= picture + MAX_PICTURE_SOURCES; i++)
		if (page->nodes[i].tag == TAG_source &&
		    (append_source(request, page_attribute(page, i, "srcset"),
				   true, out) ||
		     append_source(request,
				   page_attribute(page, i, "data-srcset"), true,
				   out)))
			return true;
	return false;
}

/* The attributes with the URL of an image, the best first. */
static const struct {
	struct slice name;
	bool is_set;
} image_places[] = {
#define NAME(name)                     \
	{                              \
		name, sizeof(name) - 1 \
	}
	{NAME("data-srcset"), true},
	{NAME("data-lazy-srcset"), true},
	{NAME("data-src"), false},
	{NAME("data-original"), false},
	{NAME("data-lazy-src"), false},
	{NAME("data-actualsrc"), false},
	{NAME("data-original-src"), false},
	{NAME("data-lazy"), false},
	{NAME("srcset"), true},
	{NAME("src"), false},
};

enum { IMAGE_PLACES = sizeof(image_places) / sizeof(image_places[0]) };

static bool find_image_source(const struct render_request *request,
			      uint32_t node, struct buffer *out)
{
	const struct page *page = request->page;
	const struct node *image = &page->nodes[node];
	struct slice values[IMAGE_PLACES] = {{NULL, 0}};

	for (uint32_t i = 0; i < image->attribute_count; i++) {
		const struct attribute *one =
			&page->attributes[image->first_attribute + i];

		for (unsigned k = 0; k < IMAGE_PLACES; k++)
			if (slice_equal(one->name, image_places[k].name))
				values[k] = one->value;
	}
	for (unsigned i = 0; i < IMAGE_PLACES; i++)
		if (append_source(request, values[i], image_places[i].is_set,
				  out))
			return true;
	return append_picture_source(request, node, out);
}

bool image_filter_next(struct image_filter *filter,
		       const struct render_request *request, uint32_t node,
		       struct layout_image *image_out)
{
	const struct node *image = &request->page->nodes[node];
	struct buffer spare = filter->source;
	struct slice label;

	buffer_clear(&filter->candidate);
	if (!image_belongs(request, node) ||
	    !find_image_source(request, node, &filter->candidate))
		return false;
	/*
	 * the image is a copy of the previous one, or a variant for readers
	 * without scripts
	 */
	if (filter->source.size > 0 &&
	    (((image->flags & TEXT_IS_NOSCRIPT) != 0 &&
	      filter->place == image->first_text) ||
	     slice_equal(buffer_slice(&filter->source),
			 buffer_slice(&filter->candidate))))
		return false;
	filter->source = filter->candidate;
	filter->candidate = spare;
	filter->place = image->first_text;
	buffer_clear(&filter->label);
	label = page_attribute(request->page, node, "alt");
	if (label.size > 0 && label.size <= MAX_LABEL_BYTES)
		markup_append_plain(&filter->label, label, false);
	*image_out = (struct layout_image){buffer_slice(&filter->source),
					   buffer_slice(&filter->label)};
	return true;
}

enum {
	MIN_NAME = 2,
	MAX_NAME = 64,
	MAX_SHORTCODE = LIMIT(4096, 256), /* maximum bytes of a shortcode,
					     including its attributes */
};

struct shortcode {
	struct slice name;
	size_t end; /* end of the shortcode in the text */
	bool is_closing;
	bool has_attributes;
};

static bool is_shortcode_blank(char byte)
{
	return byte != '\0' && strchr(" \t\n\r\f", byte) != NULL;
}

static size_t skip_name(struct slice text, size_t at)
{
	while (is_alphanumeric(slice_byte(text, at)) ||
	       slice_byte(text, at) == '_' || slice_byte(text, at) == '-')
		at++;
	return at;
}

/*
 * Return the size of the quotation mark at `at`, or 0 if `at` is at no
 * quotation mark. In an unknown shortcode, WordPress replaces the quotation
 * marks by typographic ones, U+2018 to U+201F, and by primes.
 */
static size_t quote_size(struct slice text, size_t at)
{
	char byte = slice_byte(text, at);
	unsigned char last = (unsigned char)slice_byte(text, at + 2);

	if (byte == '"' || byte == '\'')
		return 1;
	if (byte != '\xE2' || slice_byte(text, at + 1) != '\x80')
		return 0;
	return (last >= 0x98 && last <= 0x9F) || last == 0xB2 || last == 0xB3
		       ? 3
		       : 0;
}

/* Return the end of the attribute value at `at`, or 0 if there is no value. */
static size_t shortcode_skip_value(struct slice text, size_t at)
{
	size_t quote = quote_size(text, at);
	char mark = slice_byte(text, at);
	size_t stop = at + MAX_SHORTCODE;

	if (quote == 0) {
		if (!is_digit(mark))
			return 0;
		while (is_alphanumeric(slice_byte(text, at)) ||
		       strchr(".%_-", slice_byte(text, at)) != NULL) {
			if (at == text.size)
				break;
			at++;
		}
		return at;
	}
	for (at += quote; at < text.size && at < stop; at++) {
		size_t size = quote_size(text, at);

		if (size == quote &&
		    (size == 3 || slice_byte(text, at) == mark))
			return at + size;
	}
	return 0;
}

/*
 * Read the part of a shortcode after its name, the attributes and the "]".
 * Return false if it is not a shortcode.
 */
static bool shortcode_read_rest(struct slice text, size_t at,
				struct shortcode *code)
{
	const size_t stop = at + MAX_SHORTCODE;

	while (at < stop) {
		size_t next = at;
		size_t end;

		while (is_shortcode_blank(slice_byte(text, next)))
			next++;
		if (slice_byte(text, next) == '/' && !code->is_closing)
			next++;
		if (slice_byte(text, next) == ']') {
			code->end = next + 1;
			return slice_byte(text, next + 1) != ']';
		}
		if (next == at || code->is_closing)
			return false;
		end = skip_name(text, next);
		if (end == next || slice_byte(text, end) != '=')
			return false;
		at = shortcode_skip_value(text, end + 1);
		if (at == 0)
			return false;
		code->has_attributes = true;
	}
	return false;
}

/*
 * Return true and write *code_out if a shortcode begins at the "[" at `at`.
 * [[name]] is escaped, so it is text for readers.
 */
static bool read_shortcode(struct slice text, size_t at,
			   struct shortcode *code_out)
{
	struct shortcode code = {0};
	size_t begin = at + 1;
	size_t end;

	if (at > 0 && slice_byte(text, at - 1) == '[')
		return false;
	if (slice_byte(text, begin) == '/') {
		code.is_closing = true;
		begin++;
	}
	end = skip_name(text, begin);
	if (!is_letter(slice_byte(text, begin)) || end - begin < MIN_NAME ||
	    end - begin > MAX_NAME)
		return false;
	code.name =
		(struct slice){(const char *)text.data + begin, end - begin};
	if (!shortcode_read_rest(text, end, &code))
		return false;
	*code_out = code;
	return true;
}

static bool has_closing(struct slice text, struct slice name)
{
	struct buffer closing = {0};
	bool is_found;

	buffer_append_text(&closing, "[/");
	buffer_append_slice(&closing, name);
	buffer_append_byte(&closing, ']');
	is_found = text.size > 0 && memmem(text.data, text.size, closing.data,
					   closing.size) != NULL;
	buffer_free(&closing);
	return is_found;
}

/*
 * Return the entry of the name, and add one if it is missing; NULL if the page
 * has more than MAX_SHORTCODE_NAMES names.
 */
static struct shortcode_name *shortcode_find_name(struct shortcodes *shortcodes,
						  struct slice name)
{
	uint64_t hash = hash64(name.data, name.size, 0);
	struct shortcode_name *found = shortcodes->names;
	const struct shortcode_name *end = found + shortcodes->count;

	while (found < end && found->hash != hash)
		found++;
	if (found < end)
		return found;
	if (shortcodes->count == MAX_SHORTCODE_NAMES)
		return NULL;
	*found = (struct shortcode_name){
		.hash = hash,
		.is_closed = has_closing(shortcodes->text, name),
	};
	shortcodes->count++;
	return found;
}

/*
 * Return true if `text`, which is trimmed, is empty or ends with the end of a
 * sentence.
 */
static bool ends_sentence(struct slice text)
{
	const unsigned char *begin = text.data;
	const unsigned char *at = begin + text.size;
	enum character_class class;

	if (text.size == 0)
		return true;
	do
		at--;
	while (at > begin && utf8_continues(*at));
	class = character_class_at(utf8_next(&at, begin + text.size));
	return class >= CHARACTER_STOP && class <= CHARACTER_QUOTE;
}

/*
 * Return true if the shortcode must be left out. `before` is the kept text
 * before it, trimmed.
 */
static bool shortcode_is_dropped(struct shortcodes *shortcodes,
				 const struct shortcode *code,
				 struct slice before)
{
	struct shortcode_name *name =
		shortcode_find_name(shortcodes, code->name);
	/* only a shortcode has such a name; it cannot be ordinary text */
	const bool is_own =
		memchr(code->name.data, '_', code->name.size) != NULL ||
		list_has("audio|caption|embed|gallery|playlist|video",
			 code->name);

	if (name == NULL)
		return false;
	if (code->is_closing)
		return is_own || name->is_opened;
	if (!ends_sentence(before) ||
	    (!code->has_attributes && !(is_own && name->is_closed)))
		return false;
	name->is_opened = true;
	return true;
}

/*
 * If the whole text between `at` and the next "[/" is a URL, return its end;
 * otherwise return `at`.
 */
static size_t skip_address(struct slice text, size_t at)
{
	const char *bytes = text.data;
	size_t end = at;

	if (text.size - at < 4 || memcmp(bytes + at, "http", 4) != 0)
		return at;
	while (end < text.size && !is_shortcode_blank(bytes[end]) &&
	       bytes[end] != '[')
		end++;
	return slice_byte(text, end) == '[' && slice_byte(text, end + 1) == '/'
		       ? end
		       : at;
}

bool shortcodes_drop(struct shortcodes *shortcodes, struct slice text,
		     struct buffer *out)
{
	const char *bytes = text.data;
	const size_t old = out->size;
	size_t solid = old; /* end of the last non-blank byte in `out` */
	size_t kept =
		0; /* all text before this position was written or left out */

	for (size_t at = 0; at < text.size; at++) {
		struct slice before = {bytes + kept, at - kept};
		struct shortcode code;

		if (bytes[at] != '[' || !read_shortcode(text, at, &code))
			continue;
		while (is_shortcode_blank(slice_byte(before, before.size - 1)))
			before.size--;
		if (!shortcode_is_dropped(
			    shortcodes, &code,
			    before.size > 0 || solid == old
				    ? before
				    : (struct slice){out->data + old,
						     solid - old}))
			continue;
		if (before.size > 0)
			solid = out->size + before.size;
		buffer_append(out, bytes + kept, at - kept);
		kept = code.is_closing ? code.end
				       : skip_address(text, code.end);
		at = kept - 1;
	}
	if (kept == 0)
		return false;
	buffer_append(out, bytes + kept, text.size - kept);
	return true;
}

enum {
	MAX_SOURCES = 8
}; /* maximum number of elements inside a video or audio that are checked */

/*
 * Known players and posts: the host (or the end of the host) of the URL, and
 * the start of its path.
 */
static const struct {
	const char *host;
	const char *path;
	const char *kind;
} players[] = {
	{"youtube.com", "/embed/", "video"},
	{"youtube.com", "/v/", "video"},
	{"youtube-nocookie.com", "/embed/", "video"},
	{"vimeo.com", "/video/", "video"},
	{"dailymotion.com", "/embed/video/", "video"},
	{"dailymotion.com", "/player", "video"},
	{"wistia.com", "/embed/", "video"},
	{"wistia.net", "/embed/", "video"},
	{"loom.com", "/embed/", "video"},
	{"embed.ted.com", "/", "video"},
	{"player.twitch.tv", "/", "video"},
	{"player.bilibili.com", "/", "video"},
	{"rutube.ru", "/play/embed/", "video"},
	{"archive.org", "/embed/", "video"},
	{"open.spotify.com", "/embed", "audio"},
	{"w.soundcloud.com", "/player", "audio"},
	{"tiktok.com", "/embed", "video"},
	{"facebook.com", "/plugins/video", "video"},
	{"facebook.com", "/plugins/post", "post"},
	{"instagram.com", "/p/", "post"},
	{"instagram.com", "/reel/", "post"},
	{"platform.twitter.com", "/embed/", "post"},
	{"platform.x.com", "/embed/", "post"},
	{"embed.bsky.app", "/embed/", "post"},
	{"embed.reddit.com", "/r/", "post"},
	{"linkedin.com", "/embed/feed/", "post"},
};

void media_filter_end(struct media_filter *filter)
{
	buffer_free(&filter->source);
	buffer_free(&filter->candidate);
	buffer_free(&filter->title);
}

static bool slice_begins_with(struct slice text, const char *begin)
{
	size_t size = strlen(begin);

	return text.size >= size && strncasecmp(text.data, begin, size) == 0;
}

static struct slice slice_after(struct slice text, size_t size)
{
	return (struct slice){(const char *)text.data + size, text.size - size};
}

/* Return true if `host` is `name`, or ends with a dot and `name`. */
static bool is_player_host(struct slice host, const char *name)
{
	size_t size = strlen(name);

	if (host.size < size)
		return false;
	return strncasecmp((const char *)host.data + host.size - size, name,
			   size) == 0 &&
	       (host.size == size ||
		slice_byte(host, host.size - size - 1) == '.');
}

/*
 * Return the index in `players` of the player with this URL, or the number of
 * players if no player has it.
 */
static size_t find_player(struct slice address)
{
	const size_t count = sizeof(players) / sizeof(players[0]);
	struct slice host;
	size_t row = 0;

	if (slice_begins_with(address, "https:"))
		address = slice_after(address, 6);
	else if (slice_begins_with(address, "http:"))
		address = slice_after(address, 5);
	if (!slice_begins_with(address, "//"))
		return count;
	host = slice_after(address, 2);
	for (size_t i = 0; i < host.size; i++)
		if (strchr("/:?#", slice_byte(host, i)) != NULL)
			host.size = i;
	address = slice_after(address, 2 + host.size);
	while (row < count && !(is_player_host(host, players[row].host) &&
				slice_begins_with(address, players[row].path)))
		row++;
	return row;
}

static bool find_media_source(const struct render_request *request,
			      uint32_t node, struct buffer *out)
{
	static const char *const names[] = {"data-src", "data-lazy-src", "src"};
	const struct page *page = request->page;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (link_address_append(out, request,
					page_attribute(page, node, names[i])))
			return true;
	return false;
}

static bool find_inner_source(const struct render_request *request,
			      uint32_t node, struct buffer *out)
{
	const struct node *nodes = request->page->nodes;

	for (uint32_t i = node + 1;
	     i < nodes[node].end && i <= node + MAX_SOURCES; i++)
		if (nodes[i].tag == TAG_source &&
		    find_media_source(request, i, out))
			return true;
	return false;
}

/*
 * Return "video", "audio" or "post", and write the URL to `out`; return NULL if
 * the element plays nothing.
 */
static const char *read_media(const struct render_request *request,
			      uint32_t node, struct buffer *out)
{
	uint16_t tag = request->page->nodes[node].tag;
	struct slice type = page_attribute(request->page, node, "type");
	bool is_found = find_media_source(request, node, out);
	size_t player;

	if (tag == TAG_video || tag == TAG_audio) {
		if (!is_found && !find_inner_source(request, node, out))
			return NULL;
		return tag == TAG_video ? "video" : "audio";
	}
	if (!is_found || (tag != TAG_iframe && tag != TAG_embed))
		return NULL;
	player = find_player(buffer_slice(out));
	if (player < sizeof(players) / sizeof(players[0]))
		return players[player].kind;
	if (tag != TAG_embed)
		return NULL;
	if (slice_begins_with(type, "video/"))
		return "video";
	return slice_begins_with(type, "audio/") ? "audio" : NULL;
}

/* Return the title of a player, or `kind` if it has none that tells more. */
static struct slice read_media_title(const struct page *page, uint32_t node,
				     const char *kind, struct buffer *out)
{
	static const char *const names[] = {"title", "aria-label",
					    "data-title"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct slice title =
			text_trim(page_attribute(page, node, names[i]));

		if (title.size == 0 || title.size > MAX_LABEL_BYTES)
			continue;
		buffer_clear(out);
		markup_append_plain(out, title, false);
		title = text_trim(buffer_slice(out));
		if (title.size > 0 &&
		    !list_has_in_any_case("youtube video player|youtube|"
					  "vimeo video player|vimeo|"
					  "video player|audio player|"
					  "embedded video|embedded content",
					  title))
			return title;
	}
	return slice_of(kind);
}

/*
 * Return true if the node is the last thing in an element, after kept text: no
 * element around it, up to that one, has a text.
 */
static bool follows_last_kept(const struct render_request *request,
			      uint32_t node)
{
	const struct page *page = request->page;
	uint32_t around = page->nodes[node].parent;

	for (unsigned i = 0; i < MAX_FIGURE_DEPTH && around != NO_NODE; i++) {
		const struct node *element = &page->nodes[around];

		if (element->first_text < element->end_text)
			return element->tag != TAG_body &&
			       element->end_text ==
				       page->nodes[node].first_text &&
			       is_kept_text(request, element->end_text - 1);
		around = element->parent;
	}
	return false;
}

bool media_filter_next(struct media_filter *filter,
		       const struct render_request *request, uint32_t node,
		       struct layout_media *media_out)
{
	struct buffer spare = filter->source;
	const char *kind;

	buffer_clear(&filter->candidate);
	if (!image_belongs(request, node) &&
	    (!follows_last_kept(request, node) ||
	     !is_visible_image(request->page, node)))
		return false;
	kind = read_media(request, node, &filter->candidate);
	if (kind == NULL || slice_equal(buffer_slice(&filter->source),
					buffer_slice(&filter->candidate)))
		return false;
	filter->source = filter->candidate;
	filter->candidate = spare;
	*media_out = (struct layout_media){
		.source = buffer_slice(&filter->source),
		.title = read_media_title(request->page, node, kind,
					  &filter->title),
	};
	return true;
}
