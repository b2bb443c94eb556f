#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/memory.h"
#include "extract/methods/ridge_model.h"
#include "template/bundle_parts.h"
#include "template/cursor.h"

enum { MAX_CHARSET_BYTES = 256, MAX_STATUS = 999 };

static bool bundle_section_reject(char *reason, const char *why)
{
	snprintf(reason, BUNDLE_REASON_BYTES, "%s", why);
	return false;
}

/* Read strictly ascending hashes. */
static bool bundle_read_hashes(struct slice bytes, uint64_t **hashes_out,
			       size_t *count_out, char *reason)
{
	struct byte_cursor cursor = cursor_of(bytes);
	size_t count = bytes.size / sizeof(uint64_t);
	uint64_t *hashes;

	if (bytes.size % sizeof(uint64_t) != 0 || count > UINT32_MAX)
		return bundle_section_reject(reason, "its size is invalid");
	hashes = mem_alloc(count + 1, sizeof(*hashes));
	*hashes_out = hashes;
	*count_out = count;
	for (size_t i = 0; i < count; i++) {
		hashes[i] = cursor_u64(&cursor);
		if (i > 0 && hashes[i] <= hashes[i - 1])
			return bundle_section_reject(
				reason, "it is not in ascending order");
	}
	return true;
}

/*
 * Read a list of indices below `limit`; return its length. The cursor records
 * damage.
 */
static uint32_t bundle_read_list(struct byte_cursor *cursor, size_t limit,
				 struct index_lists *lists)
{
	uint32_t count = (uint32_t)cursor_number(cursor, limit);
	uint64_t next = 0;

	for (uint32_t i = 0; i < count && !cursor->is_broken; i++) {
		uint64_t index = next + cursor_number(cursor, UINT32_MAX);

		if (index >= limit) {
			cursor->is_broken = true;
			return 0;
		}
		lists->items =
			mem_grow(lists->items, lists->size, &lists->capacity,
				 sizeof(*lists->items));
		lists->items[lists->size++] = (uint32_t)index;
		next = index + 1;
	}
	return count;
}

static bool bundle_read_signatures(struct bundle *bundle, struct slice bytes,
				   char *reason)
{
	struct byte_cursor cursor = cursor_of(bytes);
	size_t capacity = 0;

	while (!cursor.is_broken && cursor_left(&cursor) > 0) {
		struct bundle_set set = {.first = bundle->set_shingles.size};

		set.cluster = (uint32_t)cursor_number(&cursor, UINT32_MAX);
		set.count = bundle_read_list(&cursor, bundle->shingle_count,
					     &bundle->set_shingles);
		bundle->sets = mem_grow(bundle->sets, bundle->set_count,
					&capacity, sizeof(*bundle->sets));
		bundle->sets[bundle->set_count++] = set;
	}
	return cursor_is_done(&cursor) ||
	       bundle_section_reject(reason, "it is damaged");
}

static bool bundle_read_page(struct bundle *bundle, struct byte_cursor *cursor,
			     struct bundle_page *page)
{
	const struct bundle_page *before =
		bundle->page_count == 0
			? NULL
			: &bundle->pages[bundle->page_count - 1];
	struct known_page *known = &page->known;

	known->key = cursor_u64(cursor);
	known->content_hash = cursor_u64(cursor);
	known->cluster = (uint32_t)cursor_number(cursor, UINT32_MAX);
	known->http_status = (uint32_t)cursor_number(cursor, MAX_STATUS);
	known->charset = cursor_text(cursor, MAX_CHARSET_BYTES);
	if (known->charset.size > 0) /* copy it, because the section is freed */
		known->charset.data =
			arena_copy(bundle->arena, known->charset.data,
				   known->charset.size);
	page->first = bundle->page_fragments.size;
	page->count = bundle_read_list(cursor, bundle->fragment_count,
				       &bundle->page_fragments);
	return before == NULL || known->key > before->known.key;
}

static bool bundle_read_pages(struct bundle *bundle, struct slice bytes,
			      char *reason)
{
	struct byte_cursor cursor = cursor_of(bytes);
	size_t capacity = 0;

	while (!cursor.is_broken && cursor_left(&cursor) > 0) {
		struct bundle_page page = {0};

		if (!bundle_read_page(bundle, &cursor, &page))
			return bundle_section_reject(
				reason, "it is not in ascending order");
		bundle->pages = mem_grow(bundle->pages, bundle->page_count,
					 &capacity, sizeof(*bundle->pages));
		bundle->pages[bundle->page_count++] = page;
	}
	return (cursor_is_done(&cursor) && bundle->page_count <= UINT32_MAX) ||
	       bundle_section_reject(reason, "it is damaged");
}

static bool read_bytes(struct bundle *bundle, uint32_t kind, struct slice bytes,
		       char *reason)
{
	switch (kind) {
	case SECTION_SITE:
		return bundle_site_read(bundle->arena, bytes, &bundle->site,
					reason) == ERR_NONE;
	case SECTION_MODEL:
		return ridge_model_read(&bundle->model, bytes) == ERR_NONE ||
		       bundle_section_reject(
			       reason, "this program cannot read the model");
	case SECTION_SHINGLES:
		return bundle_read_hashes(bytes, &bundle->shingle_ids,
					  &bundle->shingle_count, reason);
	case SECTION_SETS:
		return bundle_read_signatures(bundle, bytes, reason);
	case SECTION_FRAGMENTS:
		return bundle_read_hashes(bytes, &bundle->fragments,
					  &bundle->fragment_count, reason);
	case SECTION_PAGES:
		return bundle_read_pages(bundle, bytes, reason);
	default:
		return bundle_section_reject(reason,
					     "there is no such section");
	}
}

bool bundle_read_section(struct bundle *bundle, const struct section *section,
			 char *reason)
{
	struct buffer bytes = {0};
	bool is_right = false;

	if (container_unpack(section, &bytes) == ERR_NONE)
		is_right = read_bytes(bundle, section->kind,
				      buffer_slice(&bytes), reason);
	else
		bundle_section_reject(reason, "it cannot be decompressed");
	buffer_free(&bytes);
	return is_right;
}
