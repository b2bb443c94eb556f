/*
 * daemon/ctl/page_stream.h - read the pages that a command line names, one
 * after another: HTML files, pages in WARC and ARC archives, and pages from the
 * web.
 */
#ifndef DAEMON_CTL_PAGE_STREAM_H
#define DAEMON_CTL_PAGE_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "crawl/url.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/inputs.h"
#include "daemon/ctl/output_names.h"

struct page_fetcher;
struct warc_reader;

struct page_item {
	struct buffer name;   /* to display: the path; for a record PATH:OFFSET;
				 or the URL */
	const char *path;     /* of the file to read; NULL: use `body` */
	struct buffer output; /* the output's name derives from it, or empty */
	size_t index;         /* of the input, if it is a file */
	struct buffer body;   /* of a record or a fetched page */
	struct buffer charset; /* of its Content-Type, or empty */
	struct url url;        /* of the page, after redirects */
	bool has_url;
	struct buffer trouble; /* why the page is unusable, or empty */
};

/* Begin with {0}. */
struct page_stream {
	const struct ctl *ctl;
	size_t max_bytes;      /* of a page; longer records are truncated */
	struct inputs inputs;  /* the files, by name */
	const char **archives; /* [archive_count], of the operands */
	size_t archive_count;
	size_t next_input;
	size_t next_archive;
	int file;                   /* the open archive */
	int failure;                /* errno of reading it */
	struct warc_reader *reader; /* or NULL */
	struct buffer url_text;     /* of --urls */
	const char **urls;          /* [url_count], unchanged */
	size_t url_count;
	size_t url_capacity;
	size_t next_url;
	struct spawner *starter;      /* of the fetcher; or NULL */
	struct page_fetcher *fetcher; /* created for the first URL */
	struct output_names outputs;  /* with --out: names of all pages */
};

/*
 * Return whether the operand is an archive by its ending: .warc or .arc, also
 * with .gz or .zst after it; or whether --warc declares all operands as
 * archives.
 */
bool is_archive(const struct ctl *ctl, const char *operand);

/*
 * Return whether the operand is a web URL: it begins with http:// or https://.
 */
bool is_address(const char *operand);

/*
 * Open the operands. Files and folders come first, like inputs_collect(), then
 * the archives in their order, then the URLs, and those in --urls. If one
 * cannot be read, print a message and return false. Always end with
 * page_stream_close().
 */
bool page_stream_open(const struct ctl *ctl, size_t max_bytes,
		      struct page_stream *stream_out);
void page_stream_close(struct page_stream *stream);

/*
 * Fill in the next page, which is zeroed; from an archive, use the HTML
 * responses. An unreadable page has `trouble`. False at the end. The page
 * points into the stream; page_item_free() it.
 */
bool page_stream_next(struct page_stream *stream, struct page_item *item_out);
void page_item_free(struct page_item *item);

#endif
