/* daemon/ctl/offline_input.h - the pages that a command line names. */
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
	char *path; /* path to open */
	char *name; /* name to print; the name of the output file is made
		       from it */
};

struct inputs {
	struct input *items; /* [count] */
	size_t count;
	size_t capacity;
};

/*
 * Collect the files of the operands; from folders, all *.html and *.htm files,
 * also with the ending .gz. The result is sorted by name, without duplicates.
 *
 * The name of a file in a folder is its path relative to the folder; the name
 * of a file operand is its last part. With `keeps_folders`, the name of a file
 * operand is the operand, and, if there are several operands, the names of
 * files in folders begin with the folder, so that names are unique.
 *
 * If something cannot be read, print an error and return false. In both cases
 * the caller must call inputs_free().
 */
bool inputs_collect(const struct ctl *ctl, bool keeps_folders,
		    struct inputs *inputs_out);
void inputs_free(struct inputs *inputs);

bool is_folder(const char *path);

/*
 * Make the path of an output file: FOLDER/NAME.ENDING. The name loses a final
 * .gz and .html, and gets the ending of the format.
 */
void output_path(const char *folder, const char *name, enum format format,
		 struct buffer *out);

/*
 * Return the number of bytes of `name` that output_path() uses. Names that are
 * equal up to this length have the same output file.
 */
size_t output_stem_length(const char *name);

/*
 * Append a phrase that states why a file cannot be used and, if possible, what
 * to do.
 */
void input_trouble(enum error error, size_t max_bytes, struct buffer *out);

/* Print the error on standard error. */
void input_print_error(const struct ctl *ctl, const char *path,
		       enum error error, size_t max_bytes);

/*
 * Names of output files, relative to a folder. For a page with a URL, the name
 * is made from its host and path.
 */

/*
 * Append the name HOST/PATH for a URL; it is used with output_path(). If the
 * path ends with a slash, index.html is added. Letters, digits and "-._~%+,=@"
 * stay as they are; all other bytes are percent-encoded, also the query and its
 * "?". The dots of a segment "." or ".." are encoded, too, because they would
 * lead to another folder. If a folder ends with the ending of a format, it gets
 * a final "_", because a file may have its name. Parts that are too long for a
 * file system are truncated, and a hash of the whole part is added.
 */
void output_name_of_url(const struct url *url, struct buffer *out);

/* The names that are in use. Initialize with {0}. */
struct output_names {
	struct arena *arena;
	struct hash_table *table;
};

/*
 * Reserve `name` for the page that is called `page` in messages. Return NULL if
 * the name was free. Otherwise return the page that has reserved the name, or
 * another name with the same output file.
 */
const char *output_names_take(struct output_names *names, const char *name,
			      const char *page);
void output_names_free(struct output_names *names);

/*
 * Fetching pages from the web for one command, without the daemon. It uses the
 * daemon's fetcher, with the same address filter, rules of robots.txt, and
 * pause between two pages of a server.
 */

/*
 * Create a fetcher. It runs in a process that `spawner` starts, with the role
 * of the daemon's fetcher; if `spawner` is NULL, it runs in a thread. Return
 * NULL if it cannot be started. `max_bytes` is the maximum size of a page;
 * larger pages are truncated.
 */
struct page_fetcher *page_fetcher_create(size_t max_bytes,
					 struct spawner *spawner);
void page_fetcher_destroy(struct page_fetcher *fetcher); /* NULL is a no-op */

struct fetched_page {
	struct buffer body;
	struct buffer charset; /* charset of the Content-Type, or empty */
	struct url url;        /* URL of the page after redirects */
};

/*
 * Fetch a page and follow redirects. Before that, wait for the pause of the
 * server: one second, or its Crawl-delay. A private address is allowed only for
 * the host of `url`, and only if that host is an address. If the response is
 * not a page, append the reason to `trouble` and return false. The caller frees
 * the buffers of *page_out.
 */
bool page_fetch(struct page_fetcher *fetcher, const struct url *url,
		struct fetched_page *page_out, struct buffer *trouble);

/*
 * Reading the pages that a command line names, one after another: HTML files,
 * pages in WARC and ARC archives, and pages from the web.
 */

struct page_item {
	struct buffer name;    /* name to print: the path, PATH:OFFSET for a
				  record of an archive, or the URL */
	const char *path;      /* path of the file to read; NULL = use `body` */
	struct buffer output;  /* name from which the name of the output file
				  is made, or empty */
	size_t index;          /* index of the input, if the page is a file */
	struct buffer body;    /* body of a record or of a fetched page */
	struct buffer charset; /* charset of the Content-Type, or empty */
	struct url url;        /* URL of the page after redirects */
	bool has_url;
	struct buffer trouble; /* why the page cannot be used, or empty */
};

/* The pages of a command line. page_stream_open() initializes it. */
struct page_stream {
	const struct ctl *ctl;
	size_t max_bytes;      /* maximum size of a page; longer records are
				  truncated */
	struct inputs inputs;  /* the files, sorted by name */
	const char **archives; /* [archive_count], paths from the operands */
	size_t archive_count;
	size_t next_input;
	size_t next_archive;
	int file;                   /* descriptor of the open archive */
	int failure;                /* errno of reading the archive */
	struct warc_reader *reader; /* reader of the open archive; or NULL */
	struct buffer url_text;     /* content of the file of --urls */
	const char **urls;          /* [url_count], as the user has written
				       them */
	size_t url_count;
	size_t url_capacity;
	size_t next_url;
	struct spawner *spawner;      /* spawner of the fetcher; or NULL */
	struct page_fetcher *fetcher; /* created for the first URL */
	struct output_names outputs;  /* names of the output files of all
					 pages, if --out is given */
};

/*
 * Return whether the operand is an archive: it ends with .warc or .arc, or with
 * one of these and .gz or .zst; or the option --warc says that all operands are
 * archives.
 */
bool is_archive(const struct ctl *ctl, const char *operand);

/* Return whether the operand is a URL that begins with http:// or https://. */
bool is_address(const char *operand);

/*
 * Open the operands. The pages come in this order: files and folders as in
 * inputs_collect(), archives, URLs, and the URLs in the file of --urls. If one
 * cannot be read, print an error and return false. In both cases the caller
 * must call page_stream_close().
 */
bool page_stream_open(const struct ctl *ctl, size_t max_bytes,
		      struct page_stream *stream_out);
void page_stream_close(struct page_stream *stream);

/*
 * Fill in *item_out, which is zeroed, with the next page. Of an archive, the
 * HTML responses are pages. If a page cannot be read, it has a `trouble`.
 * Return false at the end. The item points into the stream; free it with
 * page_item_free().
 */
bool page_stream_next(struct page_stream *stream, struct page_item *item_out);
void page_item_free(struct page_item *item);

#endif
