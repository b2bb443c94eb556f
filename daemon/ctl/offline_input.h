/* daemon/ctl/offline_input.h - the HTML files that a command line names. */
#ifndef DAEMON_CTL_OFFLINE_INPUT_H
#define DAEMON_CTL_OFFLINE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "crawl/url/url.h"
#include "daemon/ctl/ctl.h"
#include "extract/render/render.h"

struct page_fetcher;
struct spawner;
struct warc_reader;

struct input {
	char *path; /* to open */
	char *name; /* to display; the output's name derives from it */
};

struct inputs {
	struct input *items; /* [count] */
	size_t count;
	size_t capacity;
};

/*
 * Collect the named files and, from folders, every *.html and *.htm, gzip
 * compressed (.gz) or not. The name of a file in a folder is its path below
 * that folder. `keeps_folders`: with several operands names begin with the
 * operand, so that names are unique; otherwise the name of a file operand is
 * its last part. Sorted by name, without duplicates. If something cannot be
 * read, print a message and return false. Always end with inputs_free().
 */
bool inputs_collect(const struct ctl *ctl, bool keeps_folders,
		    struct inputs *inputs_out);
void inputs_free(struct inputs *inputs);

bool is_folder(const char *path);

/*
 * Make FOLDER/NAME.ENDING: the name without a final .gz and .html, with the
 * ending of the format.
 */
void output_path(const char *folder, const char *name, enum format format,
		 struct buffer *out);

/*
 * Return the length of the name in output_path(): names with the same stem have
 * the same output.
 */
size_t output_stem_length(const char *name);

/* Append a phrase that states why a file is unusable and what to do. */
void input_trouble(enum error error, size_t max_bytes, struct buffer *out);

/* Report the error on standard error. */
void input_print_error(const struct ctl *ctl, const char *path,
		       enum error error, size_t max_bytes);

/*
 * Names of output files, relative to a folder. The name for a page with a URL
 * follows its host and path.
 */

/*
 * Append HOST/PATH of the URL as the name of a file, for output_path(). A path
 * that ends with a slash gets index.html. Letters, digits and "-._~%+,=@" are
 * kept; all other bytes are percent-encoded, also the query and its "?". The
 * dots of a segment "." or "..", which would lead to another folder, are
 * encoded, too. A folder with the ending of a format gets a final "_", because
 * a file may have its name. Parts that are too long for a file system are
 * truncated, with a hash of the whole appended.
 */
void output_name_of_url(const struct url *url, struct buffer *out);

/* The used names. Begin with {0}. */
struct output_names {
	struct arena *arena;
	struct hash_table *table;
};

/*
 * Reserve the name for the page with the title `page`. Return NULL if the name
 * was free; otherwise the page that uses it, or a page that would be written to
 * the same file.
 */
const char *output_names_take(struct output_names *names, const char *name,
			      const char *page);
void output_names_free(struct output_names *names);

/*
 * Fetch pages from the web for one command, without the daemon, with the same
 * fetcher, address filter, robots.txt rules and pause between two pages of a
 * server.
 */

/*
 * The fetcher runs as a process, started by `spawner`, with the role of the
 * daemon's fetcher; without a `spawner` it is a thread. NULL: it cannot be
 * started. `max_bytes`: maximum size of a page; larger pages are truncated.
 */
struct page_fetcher *page_fetcher_create(size_t max_bytes,
					 struct spawner *spawner);
void page_fetcher_destroy(struct page_fetcher *fetcher); /* NULL is a no-op */

struct fetched_page {
	struct buffer body;
	struct buffer charset; /* of its Content-Type, or empty */
	struct url url;        /* after redirects */
};

/*
 * Fetch a page and follow redirects; first wait for the server's pause: one
 * second, or its Crawl-delay. A private address is allowed only for the host of
 * the URL, and only if the URL names it by an address. If the response is not a
 * page, append the reason to `trouble` and return false. Free its buffers.
 */
bool page_fetch(struct page_fetcher *fetcher, const struct url *url,
		struct fetched_page *page_out, struct buffer *trouble);

/*
 * Read the pages that a command line names, one after another: HTML files,
 * pages in WARC and ARC archives, and pages from the web.
 */

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
	struct spawner *spawner;      /* of the fetcher; or NULL */
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
