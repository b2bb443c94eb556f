#include "template/bundle_writer.h"

#include <assert.h>

#include "template/bundle.h"
#include "template/cursor.h"

enum { MAX_GROWTH = 4 };

bool bundle_is_full(const struct bundle_writer *writer)
{
	return writer->file.body.size + writer->file.table.size >
		       writer->max_bytes ||
	       writer->rows.size / MAX_GROWTH > writer->max_bytes ||
	       writer->unpacked + writer->rows.size > BUNDLE_MAX_BYTES;
}

/* Finish the current section. */
static void end_section(struct bundle_writer *writer)
{
	if (writer->rows.size == 0)
		return;
	if (!bundle_is_full(writer))
		container_add(&writer->file, writer->kind, writer->number,
			      buffer_slice(&writer->rows));
	writer->unpacked += writer->rows.size;
	buffer_free(&writer->rows);
}

/* Finish the previous section; return the buffer of the new one. */
static struct buffer *bundle_writer_section(struct bundle_writer *writer,
					    enum section_kind kind,
					    uint32_t number)
{
	if (writer->kind != kind || writer->number != number)
		end_section(writer);
	writer->kind = kind;
	writer->number = number;
	return &writer->rows;
}

void bundle_put_site(struct bundle_writer *writer,
		     const struct bundle_site *site)
{
	bundle_site_write(site, bundle_writer_section(writer, SECTION_SITE, 0));
}

void bundle_put_model(struct bundle_writer *writer, struct slice model)
{
	buffer_append_slice(bundle_writer_section(writer, SECTION_MODEL, 0),
			    model);
}

static void append_hashes(struct buffer *out, const uint64_t *hashes,
			  size_t count)
{
	buffer_reserve(out, count * sizeof(*hashes));
	for (size_t i = 0; i < count; i++)
		pack_u64(out, hashes[i]);
}

void bundle_put_shingles(struct bundle_writer *writer, const uint64_t *members,
			 size_t count)
{
	append_hashes(bundle_writer_section(writer, SECTION_SHINGLES, 0),
		      members, count);
}

/* Append the number of ascending indices, then the gaps between them. */
static void append_indices(struct buffer *out, const uint32_t *indices,
			   size_t count)
{
	uint32_t next = 0;

	pack_number(out, count);
	for (size_t i = 0; i < count; i++) {
		assert(indices[i] >= next);
		pack_number(out, indices[i] - next);
		next = indices[i] + 1;
	}
}

void bundle_put_set(struct bundle_writer *writer, uint32_t cluster,
		    const uint32_t *shingle_ids, size_t count)
{
	struct buffer *rows = bundle_writer_section(writer, SECTION_SETS, 0);

	pack_number(rows, cluster);
	append_indices(rows, shingle_ids, count);
}

void bundle_put_fragments(struct bundle_writer *writer, const uint64_t *hashes,
			  size_t count)
{
	append_hashes(bundle_writer_section(writer, SECTION_FRAGMENTS, 0),
		      hashes, count);
}

void bundle_put_page(struct bundle_writer *writer,
		     const struct known_page *page, const uint32_t *fragments,
		     uint32_t count)
{
	struct buffer *rows = bundle_writer_section(writer, SECTION_PAGES, 0);

	pack_u64(rows, page->key);
	pack_u64(rows, page->content_hash);
	pack_number(rows, page->cluster);
	pack_number(rows, page->http_status);
	pack_text(rows, page->charset);
	append_indices(rows, fragments, count);
}

void bundle_put_sample(struct bundle_writer *writer, uint32_t cluster,
		       struct slice charset, struct slice body)
{
	struct buffer *rows =
		bundle_writer_section(writer, SECTION_SAMPLES, cluster);

	pack_text(rows, charset);
	pack_text(rows, body);
}

void bundle_put_version(struct bundle_writer *writer, uint32_t cluster,
			uint32_t version, struct slice json)
{
	struct buffer *rows =
		bundle_writer_section(writer, SECTION_VERSION, cluster);

	pack_number(rows, version);
	buffer_append_slice(rows, json);
}

void bundle_writer_free(struct bundle_writer *writer)
{
	buffer_free(&writer->rows);
	container_free(&writer->file);
}

enum error bundle_end(struct bundle_writer *writer, struct buffer *out)
{
	enum error error = ERR_TOO_LARGE;

	end_section(writer);
	if (!bundle_is_full(writer)) {
		container_end(&writer->file, out);
		error = ERR_NONE;
	}
	assert(writer->rows.size == 0);
	bundle_writer_free(writer);
	return error;
}
