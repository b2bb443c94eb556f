#include "crawl/sitemap.h"

#include <stdlib.h>

#include "base/decode.h"
#include "base/memory.h"
#include "crawl/sitemap_out.h"
#include "crawl/sitemap_text.h"
#include "crawl/sitemap_xml.h"

#define BOM "\xEF\xBB\xBF"

enum { GZIP_BYTES = 2, BOM_BYTES = 3, PIECE_BYTES = 16 * 1024 };

struct sitemap {
	struct sitemap_out out;
	unsigned char head[GZIP_BYTES]; /* the first bytes, to detect gzip */
	size_t head_size;
	struct decoder *decoder; /* NULL: not compressed */
	size_t unpacked;         /* decompressed bytes until now */
	size_t bom_size;         /* size of leading BOMs */
	struct sitemap_xml *xml; /* one of these, by the format */
	struct sitemap_text *text;
	bool is_padded; /* other bytes follow the last member */
	bool is_over;   /* finished */
	char piece[PIECE_BYTES];
};

void sitemap_out_fail(struct sitemap_out *out, enum error error)
{
	if (out->error == ERR_NONE)
		out->error = error;
}

void sitemap_out_emit(struct sitemap_out *out, struct slice reference,
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
	sitemap_xml_destroy(sitemap->xml);
	free(sitemap->text);
	free(sitemap);
}

static struct slice sitemap_skip_bytes(struct slice bytes, size_t size)
{
	return (struct slice){(const char *)bytes.data + size,
			      bytes.size - size};
}

static bool sitemap_is_blank(unsigned char byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/*
 * Select the format: XML if the file begins with '<', also in UTF-16, otherwise
 * text.
 */
static void sitemap_select_format(struct sitemap *sitemap, unsigned char first)
{
	if (first == '<' || first == '\0' || first >= 0xFE) {
		sitemap->xml = sitemap_xml_create(&sitemap->out);
	} else {
		sitemap->text = mem_alloc(1, sizeof(*sitemap->text));
		sitemap->text->out = &sitemap->out;
	}
}

static void sitemap_read_format(struct sitemap *sitemap, struct slice bytes)
{
	if (sitemap->xml != NULL)
		sitemap_xml_feed(sitemap->xml, bytes);
	else
		sitemap_text_feed(sitemap->text, bytes);
}

/* Skip BOMs and white space; pass one BOM to the format. */
static void read_begin(struct sitemap *sitemap, struct slice bytes)
{
	const unsigned char *at = bytes.data;
	struct slice bom = {BOM, BOM_BYTES};
	size_t i = 0;

	for (; i < bytes.size; i++)
		if (at[i] == (unsigned char)BOM[sitemap->bom_size % BOM_BYTES])
			sitemap->bom_size++;
		else if (!sitemap_is_blank(at[i]))
			break;
	if (i == bytes.size)
		return;
	sitemap_select_format(sitemap, at[i]);
	if (sitemap->bom_size < BOM_BYTES)
		bom.size = sitemap->bom_size;
	sitemap_read_format(sitemap, bom);
	sitemap_read_format(sitemap, sitemap_skip_bytes(bytes, i));
}

/*
 * Parse decompressed bytes, at most PIECE_BYTES per call, so that an error is
 * detected early.
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
		bytes = sitemap_skip_bytes(bytes, size);
	}
}

/* Return whether a member follows, judging by its first byte. */
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

/*
 * Read gzip members one after another; ignore bytes after them that are not a
 * member.
 */
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
		bytes = sitemap_skip_bytes(bytes, 1);
		sitemap_read_head(sitemap, false);
	}
	if (bytes.size > 0)
		read_packed(sitemap, bytes);
	return sitemap->out.error;
}

static bool sitemap_is_truncated(const struct sitemap *sitemap)
{
	return sitemap->decoder != NULL && !decoder_is_at_end(sitemap->decoder);
}

enum error sitemap_finish(struct sitemap *sitemap)
{
	if (sitemap->is_over || sitemap->out.error != ERR_NONE)
		return sitemap->out.error;
	sitemap->is_over = true;
	if (sitemap->head_size < GZIP_BYTES)
		sitemap_read_head(sitemap, true);
	if (sitemap->xml != NULL)
		sitemap_xml_finish(sitemap->xml);
	else if (sitemap->text != NULL)
		sitemap_text_finish(sitemap->text);
	else
		sitemap_out_fail(&sitemap->out, ERR_MALFORMED); /* empty */
	if (sitemap_is_truncated(sitemap))
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
