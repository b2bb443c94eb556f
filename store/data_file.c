#include "store/data_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	META_PAGES = 2,
	META_FLAG = 0x08,
	VERSION = 1,
	MIN_PAGE_BYTES = 512,
	USUAL_PAGE_BYTES = 4096,
	/* of a meta page while the daemon writes it */
	MAX_READS = 8,
};

static const uint32_t magic = 0xbeefc0de;

/* The head of a page, and of a meta page. */
struct page_head {
	uint64_t number;
	uint16_t pad;
	uint16_t flags;
	uint32_t rest;
};

struct meta_page {
	struct page_head head;
	struct lmdb_meta meta;
};

_Static_assert(sizeof(struct page_head) == LMDB_PAGE_HEAD_BYTES, "LMDB's");
_Static_assert(sizeof(struct lmdb_tree) == 48, "LMDB's");
_Static_assert(sizeof(struct lmdb_meta) == 136, "LMDB's");

static bool file_read_at(int file, void *out, size_t size, uint64_t offset)
{
	char *to = out;

	while (size > 0) {
		ssize_t got = pread(file, to, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		size -= (size_t)got;
		offset += (uint64_t)got;
	}
	return true;
}

bool lmdb_file_read(const struct lmdb_file *data, uint64_t page, size_t offset,
		    void *out, size_t size)
{
	if (page > (uint64_t)INT64_MAX / data->page_bytes - 1 ||
	    size > (uint64_t)INT64_MAX / 2)
		return false;
	return file_read_at(data->file, out, size,
			    page * data->page_bytes + offset);
}

static bool is_page_size(uint32_t bytes)
{
	return bytes >= MIN_PAGE_BYTES && bytes <= LMDB_MAX_PAGE_BYTES &&
	       (bytes & (bytes - 1)) == 0;
}

/*
 * Return the number of meta pages in the file, at most 2. The first one
 * contains the position of the second one.
 */
static size_t meta_pages_read(struct lmdb_file *data,
			      struct meta_page pages[META_PAGES])
{
	data->page_bytes = MIN_PAGE_BYTES;
	if (!lmdb_file_read(data, 0, 0, &pages[0], sizeof(pages[0])))
		return 0;
	data->page_bytes = is_page_size(pages[0].meta.free.page_bytes)
				   ? pages[0].meta.free.page_bytes
				   : USUAL_PAGE_BYTES;
	return lmdb_file_read(data, 1, 0, &pages[1], sizeof(pages[1])) ? 2 : 1;
}

/*
 * Read the meta pages until two reads are equal, so that no process has written
 * in between.
 */
static size_t read_steady_pages(struct lmdb_file *data,
				struct meta_page pages[META_PAGES])
{
	struct meta_page again[META_PAGES] = {0};
	size_t count = meta_pages_read(data, pages);

	for (int i = 0; i < MAX_READS; i++) {
		if (meta_pages_read(data, again) == count &&
		    memcmp(pages, again, sizeof(again)) == 0)
			break;
		memcpy(pages, again, sizeof(again));
	}
	return count;
}

/* Return the error in the meta page, or NULL. */
static const char *meta_page_check(const struct meta_page *page, uint64_t index,
				   uint32_t page_bytes)
{
	const struct lmdb_meta *meta = &page->meta;

	if ((page->head.flags & META_FLAG) == 0 || meta->magic != magic)
		return "is not a page of LMDB";
	if (meta->version != VERSION)
		return "belongs to another version of LMDB";
	if (page->head.number != index || !is_page_size(page_bytes) ||
	    meta->free.page_bytes != page_bytes ||
	    meta->last_page < META_PAGES - 1 ||
	    meta->last_page >= meta->map_bytes / page_bytes ||
	    (meta->transaction % META_PAGES != index && meta->transaction != 0))
		return "is damaged";
	return NULL;
}

/*
 * Transactions write the two pages alternately, so their numbers are
 * consecutive, or both 0 at first.
 */
static bool meta_numbers_follow(uint64_t a, uint64_t b)
{
	return a == b ? a == 0 : a + 1 == b || b + 1 == a;
}

static enum error read_metas(struct lmdb_file *data, struct buffer *why)
{
	struct meta_page pages[META_PAGES] = {0};
	size_t count = read_steady_pages(data, pages);

	for (uint64_t i = 0; i < META_PAGES; i++) {
		const struct lmdb_meta *meta = &pages[i].meta;
		const char *what = i < count ? meta_page_check(&pages[i], i,
							       data->page_bytes)
					     : "cannot be read";

		if (what != NULL)
			buffer_printf(why, "%smeta page %" PRIu64 " %s",
				      why->size > 0 ? ", " : "", i, what);
		else if (!data->has_meta ||
			 data->meta.transaction < meta->transaction)
			data->meta = *meta;
		data->has_meta = data->has_meta || what == NULL;
	}
	if (why->size == 0 && !meta_numbers_follow(pages[0].meta.transaction,
						   pages[1].meta.transaction))
		buffer_append_text(why, "the meta pages do not belong to "
					"two consecutive transactions");
	return why->size == 0 ? ERR_NONE : ERR_CORRUPT;
}

enum error lmdb_file_open(struct lmdb_file *data_out, const char *path,
			  struct buffer *why)
{
	struct stat status;
	enum error error;

	*data_out = (struct lmdb_file){
		.file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)};
	if (data_out->file < 0)
		return errno == ENOENT ? ERR_NOT_FOUND : ERR_IO;
	if (fstat(data_out->file, &status) == 0 && status.st_size == 0)
		return ERR_NOT_FOUND;
	error = read_metas(data_out, why);
	/* after the meta pages: a writing process extends the file first */
	if (fstat(data_out->file, &status) != 0)
		return ERR_IO;
	data_out->bytes = (uint64_t)status.st_size;
	return error;
}

void lmdb_file_close(struct lmdb_file *data)
{
	if (data->file >= 0)
		close(data->file);
	data->file = -1;
}

bool lmdb_file_is_long_enough(const struct lmdb_file *data)
{
	return data->meta.last_page < data->bytes / data->page_bytes;
}
