#include "crawl/sitemap.h"

#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/decode.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "crawl/http_message.h"
#include "page/robots_tag.h"
#include "page/xml.h"

/* A time in the year 10889; the year in a date has only four digits. */
static const uint64_t max_lastmod_ms = (uint64_t)1 << 48;

/* The head of an encoded entry; the bytes of its URL follow it. */
struct sitemap_entry_head {
	uint64_t lastmod_ms;
	uint32_t size;
	uint32_t is_sitemap;
};

bool sitemap_entries_append(struct buffer *listing,
			    const struct sitemap_entry *entry)
{
	struct sitemap_entry_head head = {.lastmod_ms = entry->lastmod_ms,
					  .size = (uint32_t)entry->url.size,
					  .is_sitemap = entry->is_sitemap};

	if (entry->url.size > MAX_URL_BYTES ||
	    listing->size + sizeof(head) + entry->url.size >
		    MAX_SITEMAP_ENTRIES_BYTES)
		return false;
	buffer_append(listing, &head, sizeof(head));
	buffer_append_slice(listing, entry->url);
	return true;
}

/*
 * Read the head of the first entry in `listing`. Return false if the entry is
 * incomplete.
 */
static bool sitemap_entry_read_head(struct slice listing,
				    struct sitemap_entry_head *head_out)
{
	if (listing.size < sizeof(*head_out))
		return false;
	memcpy(head_out, listing.data, sizeof(*head_out));
	return head_out->size <= listing.size - sizeof(*head_out);
}

bool sitemap_entries_next(struct slice *listing,
			  struct sitemap_entry *entry_out)
{
	const char *bytes = listing->data;
	struct sitemap_entry_head head;

	if (!sitemap_entry_read_head(*listing, &head))
		return false;
	*entry_out = (struct sitemap_entry){
		.url = {bytes + sizeof(head), head.size},
		.lastmod_ms = head.lastmod_ms,
		.is_sitemap = head.is_sitemap != 0,
	};
	listing->data = bytes + sizeof(head) + head.size;
	listing->size -= sizeof(head) + head.size;
	return true;
}

bool sitemap_entries_are_valid(struct slice listing)
{
	struct sitemap_entry entry;
	size_t count = 0;

	if (listing.size > MAX_SITEMAP_ENTRIES_BYTES)
		return false;
	while (sitemap_entries_next(&listing, &entry))
		if (++count > MAX_SITEMAP_ENTRIES || entry.url.size == 0 ||
		    entry.url.size > MAX_URL_BYTES ||
		    entry.lastmod_ms > max_lastmod_ms)
			return false;
	return listing.size == 0;
}

/* The output of the parsers for all formats. */

struct sitemap_out {
	struct url base;
	void (*on_entry)(void *context, const struct sitemap_entry *entry);
	void *context;
	enum sitemap_kind kind;
	size_t count;
	size_t refused;
	enum error error; /* the first error; after it no entry is passed on */
};

/* Set the error unless one is set already. */
static void sitemap_out_fail(struct sitemap_out *out, enum error error)
{
	if (out->error == ERR_NONE)
		out->error = error;
}

/*
 * Pass an entry to the handler. `reference` is its URL as in the file; `entry`
 * has no URL yet. If the URL is not valid, count the entry as refused.
 */
static void sitemap_out_emit(struct sitemap_out *out, struct slice reference,
			     struct sitemap_entry entry)
{
	struct url url;

	if (out->count + out->refused == MAX_SITEMAP_ENTRIES)
		sitemap_out_fail(out, ERR_TOO_LARGE);
	if (out->error != ERR_NONE)
		return;
	if (reference.size == 0 ||
	    url_parse(&url, reference, &out->base) != ERR_NONE) {
		out->refused++;
		return;
	}
	out->count++;
	entry.url = slice_of(url.text);
	out->on_entry(out->context, &entry);
}

/* A sitemap as text with one URL per line. */

/* State of parsing a sitemap as text. Initialise with {.out = ...}. */
struct sitemap_text {
	struct sitemap_out *out;
	char line[MAX_URL_BYTES + 1]; /* first bytes of the current line; `size`
					 is their number */
	size_t size;
	size_t taken; /* number of bytes read */
};

#define BOM "\xEF\xBB\xBF"

enum {
	GZIP_BYTES = 2,
	BOM_BYTES = 3,
	PIECE_BYTES = 16 * 1024,
	MAX_PROSE_BYTES = LIMIT(64 * 1024, 1024),
};

static void sitemap_text_end_line(struct sitemap_text *text)
{
	struct slice line = {text->line, text->size};
	bool is_url;

	if (word_begins_with(line, BOM))
		line = word_skip(line, BOM_BYTES);
	line = word_trim(line);
	is_url = word_begins_with(line, "http://") ||
		 word_begins_with(line, "https://");
	text->size = 0;
	if (line.size == 0)
		return;
	if (is_url)
		text->out->kind = SITEMAP_TEXT;
	else
		line.size = 0;
	sitemap_out_emit(text->out, line, (struct sitemap_entry){0});
}

/*
 * Read the next bytes. A line that begins with http:// or https:// is an entry;
 * other lines are counted as refused unless they are blank. ERR_MALFORMED: the
 * text contains control characters, or its first 64 KB or the whole file
 * contain no entry.
 */
static void sitemap_text_feed(struct sitemap_text *text, struct slice bytes)
{
	const unsigned char *at = bytes.data;

	for (size_t i = 0; i < bytes.size; i++) {
		if (at[i] == '\n' || at[i] == '\r')
			sitemap_text_end_line(text);
		else if (at[i] < ' ' && at[i] != '\t')
			sitemap_out_fail(text->out, ERR_MALFORMED);
		else if (text->size < sizeof(text->line))
			text->line[text->size++] = (char)at[i];
		text->taken++;
		if (text->taken > MAX_PROSE_BYTES &&
		    text->out->kind != SITEMAP_TEXT)
			sitemap_out_fail(text->out, ERR_MALFORMED);
		if (text->out->error != ERR_NONE)
			return;
	}
}

enum rank {
	RANK_NONE,
	RANK_ELSE, /* use it only if there is no better source */
	RANK_FIRST,
};

/*
 * The kinds of elements that are entries. The root element decides which of
 * them the file contains.
 */
enum entry {
	ENTRY_NONE,
	ENTRY_URL,
	ENTRY_SITEMAP,
	ENTRY_ITEM,
	ENTRY_ATOM,
};

/* The entry whose element is open. */
struct sitemap_open_entry {
	enum entry entry;
	size_t depth;   /* depth of its element */
	uint64_t space; /* hash of its XML namespace */
	enum rank url_rank;
	enum rank time_rank;
	struct buffer url;
	uint64_t time_ms;
};

/* The open element directly below the entry. */
struct sitemap_field {
	bool is_own;   /* it is in the namespace of the entry */
	bool is_other; /* it is a link that does not lead to the page itself */
	struct buffer link; /* href attribute of an Atom link */
};

struct sitemap_xml {
	struct sitemap_out *out;
	struct xml_stream *stream;
	size_t depth;
	struct sitemap_open_entry open;
	struct sitemap_field field;
};

static enum sitemap_kind sitemap_xml_kind(struct slice root)
{
	static const struct {
		const char *name;
		enum sitemap_kind kind;
	} rows[] = {
		{"urlset", SITEMAP_URLS}, {"sitemapindex", SITEMAP_INDEX},
		{"rss", SITEMAP_RSS},     {"RDF", SITEMAP_RSS},
		{"feed", SITEMAP_ATOM},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (word_is(root, rows[i].name))
			return rows[i].kind;
	return SITEMAP_UNKNOWN;
}

/*
 * Return which kind of entry begins with the element `name`; ENTRY_NONE if
 * none. A urlset may also contain the entries of an index, and the reverse.
 */
static enum entry sitemap_xml_entry_kind(enum sitemap_kind kind,
					 struct slice name)
{
	if (kind == SITEMAP_RSS)
		return word_is(name, "item") ? ENTRY_ITEM : ENTRY_NONE;
	if (kind == SITEMAP_ATOM)
		return word_is(name, "entry") ? ENTRY_ATOM : ENTRY_NONE;
	if (word_is(name, "sitemap"))
		return ENTRY_SITEMAP;
	return word_is(name, "url") ? ENTRY_URL : ENTRY_NONE;
}

static void take_url(struct sitemap_open_entry *open, struct slice url,
		     enum rank rank)
{
	if (url.size == 0 || rank <= open->url_rank)
		return;
	open->url_rank = rank;
	buffer_clear(&open->url);
	buffer_append_slice(&open->url, url);
}

static void take_time(struct sitemap_open_entry *open, struct slice text,
		      enum rank rank)
{
	uint64_t time_ms = rank > open->time_rank ? sitemap_date(text) : 0;

	if (time_ms == 0)
		return;
	open->time_rank = rank;
	open->time_ms = time_ms;
}

static void sitemap_xml_begin_entry(struct sitemap_xml *xml, enum entry entry,
				    uint64_t space)
{
	struct sitemap_open_entry *open = &xml->open;

	open->entry = entry;
	open->depth = xml->depth;
	open->space = space;
	open->url_rank = RANK_NONE;
	open->time_rank = RANK_NONE;
	open->time_ms = 0;
	buffer_clear(&open->url);
}

static void end_entry(struct sitemap_xml *xml)
{
	struct sitemap_open_entry *open = &xml->open;

	sitemap_out_emit(xml->out, buffer_slice(&open->url),
			 (struct sitemap_entry){
				 .lastmod_ms = open->time_ms,
				 .is_sitemap = open->entry == ENTRY_SITEMAP,
			 });
	open->entry = ENTRY_NONE;
}

/*
 * If an entry begins inside another entry, the end tag of that one is missing;
 * so end it.
 */
static void sitemap_xml_on_start(void *context, struct slice name,
				 struct slice space)
{
	struct sitemap_xml *xml = context;
	struct sitemap_open_entry *open = &xml->open;
	uint64_t hash = hash64(space.data, space.size, 0);
	enum entry entry;

	if (++xml->depth == 1) {
		xml->out->kind = sitemap_xml_kind(name);
		if (xml->out->kind == SITEMAP_UNKNOWN) /* for example HTML */
			sitemap_out_fail(xml->out, ERR_MALFORMED);
		return;
	}
	if (open->entry != ENTRY_NONE && xml->depth == open->depth + 1) {
		xml->field.is_own = hash == open->space;
		xml->field.is_other = false;
		buffer_clear(&xml->field.link);
	}
	entry = sitemap_xml_entry_kind(xml->out->kind, name);
	if (entry == ENTRY_NONE)
		return;
	if (open->entry != ENTRY_NONE) {
		if (hash != open->space)
			return;
		end_entry(xml);
	}
	sitemap_xml_begin_entry(xml, entry, hash);
}

/* A link without a relation is an alternate link (RFC 4287, 4.2.7.2). */
static void on_attribute(void *context, struct slice name, struct slice value)
{
	struct sitemap_xml *xml = context;
	struct sitemap_open_entry *open = &xml->open;

	if (open->entry == ENTRY_ITEM && xml->depth == open->depth &&
	    word_is(name, "about"))
		take_url(open, value, RANK_ELSE); /* RSS 1.0, section 5.5 */
	if (open->entry != ENTRY_ATOM || xml->depth != open->depth + 1)
		return;
	if (word_is(name, "rel") && !word_is(value, "alternate") &&
	    value.size > 0)
		xml->field.is_other = true;
	else if (word_is(name, "href")) {
		buffer_clear(&xml->field.link);
		buffer_append_slice(&xml->field.link, value);
	}
}

static void end_item_field(struct sitemap_open_entry *open, struct slice name,
			   struct slice text)
{
	if (word_is(name, "link"))
		take_url(open, text, RANK_FIRST);
	/*
	 * A guid may be any string. Even if it has isPermaLink="false", it is
	 * often a URL
	 */
	else if (word_is(name, "guid") && (word_begins_with(text, "http://") ||
					   word_begins_with(text, "https://")))
		take_url(open, text, RANK_ELSE);
	else if (word_is(name, "pubDate"))
		take_time(open, text, RANK_FIRST);
}

static void end_atom_field(struct sitemap_xml *xml, struct slice name,
			   struct slice text)
{
	struct sitemap_open_entry *open = &xml->open;

	if (word_is(name, "link") && !xml->field.is_other)
		take_url(open, buffer_slice(&xml->field.link), RANK_FIRST);
	else if (word_is(name, "updated") || word_is(name, "modified"))
		take_time(open, text, RANK_FIRST);
	else if (word_is(name, "published") || word_is(name, "issued"))
		take_time(open, text, RANK_ELSE);
}

static void end_field(struct sitemap_xml *xml, struct slice name,
		      struct slice text)
{
	struct sitemap_open_entry *open = &xml->open;

	/* date of Dublin Core, used by RSS 1.0 */
	if (open->entry == ENTRY_ITEM && word_is(name, "date"))
		take_time(open, text, RANK_ELSE);
	if (!xml->field.is_own)
		return;
	if (open->entry == ENTRY_ITEM)
		end_item_field(open, name, text);
	else if (open->entry == ENTRY_ATOM)
		end_atom_field(xml, name, text);
	else if (word_is(name, "loc"))
		take_url(open, text, RANK_FIRST);
	else if (word_is(name, "lastmod"))
		take_time(open, text, RANK_FIRST);
}

/*
 * If an entry has no <loc>, use the text directly in <sitemap> or <url>: some
 * sites write the URL there.
 */
static void sitemap_xml_on_end(void *context, struct slice name,
			       struct slice text)
{
	struct sitemap_xml *xml = context;
	struct sitemap_open_entry *open = &xml->open;
	size_t depth = xml->depth--;

	if (open->entry == ENTRY_NONE)
		return;
	if (depth == open->depth + 1)
		end_field(xml, name, text);
	if (depth != open->depth)
		return;
	if (open->entry == ENTRY_URL || open->entry == ENTRY_SITEMAP)
		take_url(open, text, RANK_ELSE);
	end_entry(xml);
}

struct sitemap {
	struct sitemap_out out;
	unsigned char head[GZIP_BYTES]; /* the first bytes of the file, to
					   detect gzip */
	size_t head_size;
	struct decoder *decoder; /* NULL: the file is not compressed */
	size_t unpacked;         /* number of decompressed bytes until now */
	size_t bom_size; /* size of the byte order marks at the beginning */
	struct sitemap_xml *xml; /* one of the two parsers is set, according to
				    the format */
	struct sitemap_text *text;
	bool is_padded; /* other bytes follow the last gzip member */
	bool is_over;   /* the file is finished */
	char piece[PIECE_BYTES];
};

struct sitemap *sitemap_create(const struct url *base,
			       void (*on_entry)(void *context,
						const struct sitemap_entry *),
			       void *context)
{
	struct sitemap *sitemap = mem_alloc(1, sizeof(*sitemap));

	sitemap->out.base = *base;
	sitemap->out.on_entry = on_entry;
	sitemap->out.context = context;
	return sitemap;
}

void sitemap_destroy(struct sitemap *sitemap)
{
	if (sitemap == NULL)
		return;
	decoder_destroy(sitemap->decoder);
	if (sitemap->xml != NULL) {
		xml_stream_destroy(sitemap->xml->stream);
		buffer_free(&sitemap->xml->open.url);
		buffer_free(&sitemap->xml->field.link);
	}
	free(sitemap->xml);
	free(sitemap->text);
	free(sitemap);
}

/*
 * Select the format: XML if the file begins with '<', in UTF-8 or UTF-16;
 * otherwise text.
 */
static void sitemap_select_format(struct sitemap *sitemap, unsigned char first)
{
	if (first == '<' || first == '\0' || first >= 0xFE) {
		sitemap->xml = mem_alloc(1, sizeof(*sitemap->xml));
		sitemap->xml->out = &sitemap->out;
		sitemap->xml->stream = xml_stream_create(&(struct xml_handler){
			sitemap_xml_on_start, sitemap_xml_on_end, on_attribute,
			sitemap->xml});
	} else {
		sitemap->text = mem_alloc(1, sizeof(*sitemap->text));
		sitemap->text->out = &sitemap->out;
	}
}

static void sitemap_read_format(struct sitemap *sitemap, struct slice bytes)
{
	if (sitemap->xml != NULL)
		sitemap_out_fail(&sitemap->out,
				 xml_stream_feed(sitemap->xml->stream, bytes));
	else
		sitemap_text_feed(sitemap->text, bytes);
}

/*
 * Skip byte order marks and white space at the beginning; pass one byte order
 * mark to the parser.
 */
static void read_begin(struct sitemap *sitemap, struct slice bytes)
{
	const unsigned char *at = bytes.data;
	struct slice bom = {BOM, BOM_BYTES};
	size_t i = 0;

	for (; i < bytes.size; i++)
		if (at[i] == (unsigned char)BOM[sitemap->bom_size % BOM_BYTES])
			sitemap->bom_size++;
		else if (at[i] != ' ' && (at[i] < '\t' || at[i] > '\r'))
			break;
	if (i == bytes.size)
		return;
	sitemap_select_format(sitemap, at[i]);
	if (sitemap->bom_size < BOM_BYTES)
		bom.size = sitemap->bom_size;
	sitemap_read_format(sitemap, bom);
	sitemap_read_format(sitemap, word_skip(bytes, i));
}

/*
 * Parse decompressed bytes. Pass at most PIECE_BYTES per call, so that an error
 * is detected early.
 */
static void read_piece(struct sitemap *sitemap, struct slice bytes)
{
	size_t left = MAX_SITEMAP_BYTES - sitemap->unpacked;
	bool is_over = bytes.size > left;

	if (is_over)
		bytes.size = left;
	sitemap->unpacked += bytes.size;
	if (sitemap->xml == NULL && sitemap->text == NULL)
		read_begin(sitemap, bytes);
	else
		sitemap_read_format(sitemap, bytes);
	if (is_over)
		sitemap_out_fail(&sitemap->out, ERR_TOO_LARGE);
}

static void read_plain(struct sitemap *sitemap, struct slice bytes)
{
	while (bytes.size > 0 && sitemap->out.error == ERR_NONE) {
		size_t size =
			bytes.size < PIECE_BYTES ? bytes.size : PIECE_BYTES;

		read_piece(sitemap, (struct slice){bytes.data, size});
		bytes = word_skip(bytes, size);
	}
}

/*
 * Return whether the decoder can read `bytes`: it is within a gzip member, or
 * the first byte shows that a further member begins.
 */
static bool sitemap_begin_member(struct sitemap *sitemap, struct slice bytes)
{
	if (!decoder_is_at_end(sitemap->decoder))
		return true;
	if (bytes.size == 0)
		return false;
	sitemap->is_padded = *(const unsigned char *)bytes.data != 0x1F;
	if (sitemap->is_padded)
		return false;
	decoder_reset(sitemap->decoder);
	return true;
}

/* Read gzip members one after another. Ignore bytes after the last one. */
static void read_gzip(struct sitemap *sitemap, struct slice bytes)
{
	size_t size = PIECE_BYTES;

	while ((bytes.size > 0 || size > 0) && !sitemap->is_padded &&
	       sitemap->out.error == ERR_NONE) {
		enum error error;

		if (!sitemap_begin_member(sitemap, bytes))
			return;
		error = decoder_run(sitemap->decoder, &bytes, sitemap->piece,
				    PIECE_BYTES, &size);
		if (size > 0)
			read_piece(sitemap,
				   (struct slice){sitemap->piece, size});
		sitemap_out_fail(&sitemap->out, error);
	}
}

static void read_packed(struct sitemap *sitemap, struct slice bytes)
{
	if (sitemap->decoder != NULL)
		read_gzip(sitemap, bytes);
	else
		read_plain(sitemap, bytes);
}

static void sitemap_read_head(struct sitemap *sitemap, bool is_last)
{
	struct slice head = {sitemap->head, sitemap->head_size};

	if (head.size < GZIP_BYTES && !is_last)
		return;
	if (coding_of_bytes(head) == CODING_GZIP)
		sitemap->decoder = decoder_create(CODING_GZIP);
	read_packed(sitemap, head);
}

enum error sitemap_feed(struct sitemap *sitemap, struct slice bytes)
{
	if (sitemap->is_over)
		return sitemap->out.error;
	while (sitemap->head_size < GZIP_BYTES && bytes.size > 0) {
		sitemap->head[sitemap->head_size++] =
			*(const unsigned char *)bytes.data;
		bytes = word_skip(bytes, 1);
		sitemap_read_head(sitemap, false);
	}
	if (bytes.size > 0)
		read_packed(sitemap, bytes);
	return sitemap->out.error;
}

enum error sitemap_finish(struct sitemap *sitemap)
{
	if (sitemap->is_over || sitemap->out.error != ERR_NONE)
		return sitemap->out.error;
	sitemap->is_over = true;
	if (sitemap->head_size < GZIP_BYTES)
		sitemap_read_head(sitemap, true);
	if (sitemap->xml != NULL)
		sitemap_out_fail(&sitemap->out,
				 xml_stream_finish(sitemap->xml->stream));
	else if (sitemap->text != NULL)
		sitemap_text_end_line(sitemap->text);
	/* the file is empty, or a text without a URL */
	if (sitemap->xml == NULL && sitemap->out.kind != SITEMAP_TEXT)
		sitemap_out_fail(&sitemap->out, ERR_MALFORMED);
	if (sitemap->decoder != NULL && !decoder_is_at_end(sitemap->decoder))
		sitemap_out_fail(&sitemap->out, ERR_MALFORMED);
	return sitemap->out.error;
}

enum sitemap_kind sitemap_kind(const struct sitemap *sitemap)
{
	return sitemap->out.kind;
}

size_t sitemap_count(const struct sitemap *sitemap)
{
	return sitemap->out.count;
}

size_t sitemap_refused(const struct sitemap *sitemap)
{
	return sitemap->out.refused;
}

enum { MAX_DATE_BYTES = 40, DAY_BYTES = 10 };

/* Return whether the text begins with a year, such as "2004" or "2004-12". */
static bool begins_with_year(const char *text)
{
	for (int i = 0; i < 4; i++)
		if (!is_digit(text[i]))
			return false;
	return text[4] == '-' || text[4] == '\0';
}

/*
 * Copy a W3C date to `out` and correct common mistakes: lower case, a space
 * instead of the T, a space before the zone. Return the length.
 */
static size_t write_w3c(const char *text, char *out)
{
	size_t size = 0;

	for (const char *at = text; *at != '\0'; at++) {
		if (*at != ' ')
			out[size++] =
				(char)(is_letter(*at) ? *at & ~0x20 : *at);
		else if (size == DAY_BYTES && is_digit(at[1]))
			out[size++] = 'T';
	}
	return size;
}

uint64_t sitemap_date(struct slice text)
{
	char word[MAX_DATE_BYTES + 1];
	char w3c[MAX_DATE_BYTES + 1];

	if (text.size == 0 || text.size > MAX_DATE_BYTES)
		return 0;
	memcpy(word, text.data, text.size);
	word[text.size] = '\0';
	if (!begins_with_year(word))
		return header_date(text) * 1000;
	return date_parse((struct slice){w3c, write_w3c(word, w3c)});
}
