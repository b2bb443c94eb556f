/*
 * daemon/ctl/page_stream.h - the pages that a command line names, one after the
 * other: files of HTML, the pages in archives of the web, and those that are
 * fetched from it.
 */
#ifndef DAEMON_CTL_PAGE_STREAM_H
#define DAEMON_CTL_PAGE_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "crawl/url/url.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/inputs.h"
#include "daemon/ctl/output_names.h"
#include "store/buffer.h"

struct page_fetcher;
struct warc_reader;

struct page_item {
	struct buffer name;    /* to show: the path; of a record in an archive
				  PATH:OFFSET; or the URL */
	const char *path;      /* of the file to read; NULL: `body` is it */
	struct buffer output;  /* what the output's name is made of, or empty */
	size_t index;          /* of the input, if it is a file */
	struct buffer body;    /* of a record, or as it was fetched */
	struct buffer charset; /* of its Content-Type, or empty */
	struct url url;        /* of it, behind redirects */
	bool has_url;
	struct buffer trouble; /* why there is no such page, or empty */
};

/* Begin with {0}. */
struct page_stream {
	const struct ctl *ctl;
	size_t max_bytes;      /* of a page; a record is cut behind them */
	struct inputs inputs;  /* the files, by name */
	const char **archives; /* [archive_count] of the operands */
	size_t archive_count;
	size_t next_input;
	size_t next_archive;
	int file;                   /* of the archive that is read */
	int failure;                /* errno of reading it */
	struct warc_reader *reader; /* or NULL */
	struct buffer url_text;     /* of --urls */
	const char **urls;          /* [url_count] as they were given */
	size_t url_count;
	size_t url_capacity;
	size_t next_url;
	struct starter *starter;      /* of the fetcher; or NULL */
	struct page_fetcher *fetcher; /* from the first of them on */
	struct output_names outputs;  /* with --out: those of all pages */
};

/*
 * Whether the operand is an archive by its ending: .warc, .arc, with .gz or
 * .zst behind it or without; or all are, by --warc.
 */
bool is_archive(const struct ctl *ctl, const char *operand);

/* Whether the operand is an address of the web: it begins with http:// or
 * https://. */
bool is_address(const char *operand);

/*
 * Open the operands. Files and folders come first, as of inputs_collect(), then
 * the archives in their order, then the addresses, and those of --urls. False,
 * with a message, when they cannot be read. End with page_stream_close() in any
 * case.
 */
bool page_stream_open(const struct ctl *ctl, size_t max_bytes,
		      struct page_stream *stream_out);
void page_stream_close(struct page_stream *stream);

/*
 * Fill in the next page, which is zeroed: of an archive the answers with HTML.
 * What cannot be read has `trouble`. False at the end. It points into the
 * stream; page_item_free() it.
 */
bool page_stream_next(struct page_stream *stream, struct page_item *item_out);
void page_item_free(struct page_item *item);

#endif
