/* daemon/ctl/offline.h - functions that the actions on files share. */
#ifndef DAEMON_CTL_OFFLINE_H
#define DAEMON_CTL_OFFLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cluster/signature.h"
#include "daemon/ctl/ctl.h"
#include "daemon/query/query.h"
#include "extract/render/render.h"
#include "store/store.h"
#include "template/result.h"

struct page;
struct page_cache;

/* Return the format of --format or --json. */
enum format offline_format(const struct ctl *ctl);

/*
 * Return the values of --measure, --threshold (in thousandths, or
 * THRESHOLD_AUTO) and --shingle-width (0 = default of the measure).
 */
enum measure offline_measure(const struct ctl *ctl);
unsigned offline_threshold(const struct ctl *ctl);
uint16_t offline_width(const struct ctl *ctl);

/*
 * Return the values of --param for a request; NULL follows the last one. The
 * caller frees the array, but not the strings.
 */
const char **offline_parameters(const struct ctl *ctl);

/*
 * Append what the command prints for the page: the text, or a JSON object with
 * the text.
 */
void offline_render(const struct extraction_result *answer, enum format format,
		    struct buffer *out);

/*
 * Write the file FOLDER/NAME with the ending of the format. On failure print an
 * error and return false.
 */
bool offline_write(const struct ctl *ctl, const char *folder, const char *name,
		   enum format format, struct slice bytes);

/* Append a phrase that states why the page has no text. */
void offline_trouble(enum error error, const struct extraction_result *answer,
		     struct buffer *out);

/*
 * Make the URL of a file: http://site.invalid/NAME, with the name
 * percent-encoded. ERR_TOO_LARGE: the name is too long.
 */
enum error offline_url(const char *name, struct url *url_out);

/*
 * Make the URL of a file: `base` up to its last slash, then the name,
 * percent-encoded.
 */
enum error offline_url_below(const char *base, const char *name,
			     struct url *url_out);

/*
 * Extraction of the text of a page without a template, while the page is still
 * parsed. The result is used later if the page turns out to have no template.
 */

struct fallback_options {
	const struct extraction_options *rules;
	const struct text_request *request; /* the request, without a URL */
	bool is_strict; /* the caller will use the text only if it has
			   metadata (--only-with-metadata) */
};

/*
 * Extract the text of the page at `url` without a template. The page may be
 * freed afterwards. Return NULL if the method needs a template. Free the result
 * with fallback_text_free().
 */
struct extraction_result *
fallback_text_create(const struct fallback_options *rules,
		     const struct url *url, struct page *page);
void fallback_text_free(struct extraction_result *early); /* NULL is a no-op */

/* Return the size of the result in bytes. */
size_t fallback_text_bytes(const struct extraction_result *early);

/*
 * The page is stored now at request->url. If query_text() would return the same
 * as `early`, move `early` to *answer_out and return true. Return false if it
 * would not, or if `early` is NULL.
 */
bool fallback_text_move(struct extraction_result *early, struct store *store,
			const struct extraction_options *rules,
			const struct text_request *request,
			struct extraction_result *answer_out);

/*
 * A cache of parsed pages of a site, which keeps them from clustering to
 * extraction, as many as fit. The models of clusters are built from these
 * pages, too. So each page is parsed only once.
 */

/*
 * Create a cache. When its size exceeds `max_bytes`, it stores no prepared data
 * of further pages; the caller limits the number of pages. `jobs` threads build
 * models.
 */
struct page_cache *page_cache_create(size_t max_bytes, unsigned jobs);
void page_cache_destroy(struct page_cache *kept); /* NULL is a no-op */

/* Return the size of the cached pages in bytes. */
size_t page_cache_bytes(const struct page_cache *kept);

/*
 * Add a page with the URL `url` as number `index`, which must be greater than
 * the previous one. Takes ownership of the page.
 */
void page_cache_add(struct page_cache *kept, size_t index,
		    const struct url *url, struct page *page);

/*
 * Build models with the method of the request: one for each cluster of the site
 * `host` whose sample is cached. Add the models to rules->learned, as many as
 * fit. Add no page after this call.
 */
void page_cache_build_models(struct page_cache *kept, struct store *store,
			     const char *host,
			     const struct extraction_options *rules,
			     const struct text_request *request);

/*
 * Remove page `index` from the cache and return it; the member `page` is NULL
 * if it was not cached. Any thread, once for each page.
 */
struct parsed_page page_cache_remove(struct page_cache *kept, size_t index);

/*
 * Processing the pages of a command line as sites in a temporary store, as the
 * daemon does.
 */

struct offline_page {
	char *name;    /* name to print: see struct page_item in
			  offline_input.h */
	char *path;    /* path of the file; NULL = the page is not a file */
	char *output;  /* name from which the name of the output file is
			  made; or NULL */
	char *url;     /* NULL if the page has a `trouble` */
	char *trouble; /* why the page is not stored; or NULL */
	struct extraction_result *early; /* text that was extracted while the
					    page was parsed; or NULL */
};

struct offline_site {
	struct offline_page *pages; /* [count], in the order of the command
				       line */
	size_t count;
	size_t capacity;
	unsigned threshold; /* the chosen one, in thousandths; 0 = none, or
			       several hosts */
	struct store *store;
	struct extraction_options rules; /* for extraction; has the model cache
					    of the site */
	struct page_cache *kept;         /* cached pages; or NULL */
};

/*
 * Add the pages that page_stream_open() reads to a temporary store: cluster
 * them, count fragments and, if the threshold is auto, choose the threshold of
 * each host. Uses --measure, --threshold, --shingle-width, --min-pages and
 * --jobs if the action has them. A page without a URL gets the URL of
 * offline_url(). An error of a page is stored as its trouble, not printed. If
 * `request` is not NULL, it will be used for the pages: parsed pages are
 * cached, up to 448 MB, and the text of other pages is extracted immediately if
 * they probably have no template. So most pages are parsed only once. On
 * failure print an error and return false. In both cases the caller must call
 * offline_site_close().
 */
bool offline_site_learn(const struct ctl *ctl,
			const struct text_request *request,
			struct offline_site *site_out);

/*
 * Extract the text of a page that has no trouble, with its template if it has
 * one. `request` must be the one that was passed to offline_site_learn(). Any
 * thread, once for each page.
 */
enum error offline_site_answer(struct offline_site *site, size_t page,
			       const struct text_request *request,
			       struct extraction_result *answer_out);
void offline_site_close(struct offline_site *site);

/* Temporary stores and folders for the actions on files. */

/*
 * Open a store in $TMPDIR and unlink its files immediately, so that they
 * disappear when the process exits for any reason. Errors are printed. Close it
 * with store_close().
 */
enum error temporary_store_open(const struct ctl *ctl,
				struct store **store_out);

/*
 * Create a folder in $TMPDIR with mode 0700. It exists until
 * temporary_folder_remove(), for a store that has other files in its folder,
 * too. Return its path, which the caller frees; NULL if it cannot be created,
 * which is printed.
 */
char *temporary_folder_make(const struct ctl *ctl);

/* Remove the folder and the files in it. */
void temporary_folder_remove(const char *path);

#endif
