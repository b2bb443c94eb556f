/* daemon/ctl/offline.h - functions that the verbs on files share. */
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
 * Return the value of --measure, and of --threshold: permille, or
 * THRESHOLD_AUTO.
 */
enum measure offline_measure(const struct ctl *ctl);
unsigned offline_threshold(const struct ctl *ctl);
uint16_t offline_width(const struct ctl *ctl);

/*
 * Return the values of --param, ended by NULL, for a request; free() the array,
 * not the strings.
 */
const char **offline_parameters(const struct ctl *ctl);

/* Append the output: the text, or JSON that contains it. */
void offline_render(const struct extraction_result *answer, enum format format,
		    struct buffer *out);

/*
 * Write FOLDER/NAME with the ending of the format; on failure print a message
 * and return false.
 */
bool offline_write(const struct ctl *ctl, const char *folder, const char *name,
		   enum format format, struct slice bytes);

/* Append a phrase that states why a page has no text. */
void offline_trouble(enum error error, const struct extraction_result *answer,
		     struct buffer *out);

/*
 * Make the URL http://site.invalid/NAME for a file, percent-encoded:
 * ERR_TOO_LARGE.
 */
enum error offline_url(const char *name, struct url *url_out);

/* Make the URL of a file below `base`, up to its last slash. */
enum error offline_url_below(const char *base, const char *name,
			     struct url *url_out);

/*
 * Extract the text of a page without a template, while the page is parsed; the
 * result is used later if the page turns out to have no template.
 */

struct fallback_options {
	const struct extraction_options *rules;
	const struct text_request *request; /* without a URL */
	bool is_strict; /* the caller will check whether the text can be cited
			 */
};

/*
 * Extract the text of the page at `url`; the page may be freed afterwards.
 * Return NULL if that needs a template. fallback_text_free() the result.
 */
struct extraction_result *
fallback_text_create(const struct fallback_options *rules,
		     const struct url *url, struct page *page);
void fallback_text_free(struct extraction_result *early); /* NULL is a no-op */

/* Return the size of the result. */
size_t fallback_text_bytes(const struct extraction_result *early);

/*
 * Move `early` to *answer_out if query_text() would return the same now that
 * the page is stored at request->url. Return false if not, or if `early` is
 * NULL.
 */
bool fallback_text_move(struct extraction_result *early, struct store *store,
			const struct extraction_options *rules,
			const struct text_request *request,
			struct extraction_result *answer_out);

/*
 * A cache of parsed pages of a site, from clustering to extraction, as far as
 * they fit. The models of its clusters are built from these pages, too, so
 * that each page is parsed once.
 */

/*
 * Above `max_bytes`, prepared data of pages is not cached; `jobs` threads build
 * models.
 */
struct page_cache *page_cache_create(size_t max_bytes, unsigned jobs);
void page_cache_destroy(struct page_cache *kept); /* NULL is a no-op */

/* Return the size of the cached pages. */
size_t page_cache_bytes(const struct page_cache *kept);

/*
 * Cache the page that is stored at `url` as number `index`, which must be above
 * the earlier ones. Takes ownership of the page.
 */
void page_cache_add(struct page_cache *kept, size_t index,
		    const struct url *url, struct page *page);

/*
 * Build the model of the request's method for each cluster of the site `host`
 * whose sample is cached, and add it to rules->learned as far as it fits. Add
 * no page after this call.
 */
void page_cache_build_models(struct page_cache *kept, struct store *store,
			     const char *host,
			     const struct extraction_options *rules,
			     const struct text_request *request);

/*
 * Remove and return the page of `index`; its page is NULL if it is not cached.
 * Any thread, once for each page.
 */
struct parsed_page page_cache_remove(struct page_cache *kept, size_t index);

/*
 * Process the pages of a command line as sites in a temporary store, as the
 * daemon does.
 */

struct offline_page {
	char *name;    /* to display: struct page_item of offline_input.h */
	char *path;    /* of a file; or NULL */
	char *output;  /* the output's name derives from it; or NULL */
	char *url;     /* NULL: the page has a `trouble` */
	char *trouble; /* why the page is not stored; or NULL */
	struct extraction_result
		*early; /* text extracted during parsing; or NULL */
};

struct offline_site {
	struct offline_page *pages; /* [count], in the order of the operands */
	size_t count;
	size_t capacity;
	struct store *store;
	struct extraction_options
		rules;           /* for extraction, with its own model cache */
	struct page_cache *kept; /* pages still parsed; or NULL */
};

/*
 * Add the pages of the operands and options that page_stream_open() reads, by
 * --measure, --threshold, --shingle-width, --min-pages and --jobs if the verb
 * has them: cluster them, count fragments, and choose the threshold of each
 * host if it is auto. A page without a URL gets the URL of offline_url(). An
 * error of a page is its trouble, which is not printed. Pages for which
 * `request` (or NULL) will be used stay parsed while they fit, up to 448 MB.
 * Text of the other pages is extracted immediately if they probably have no
 * template. Most pages are thus parsed once. On failure print a message and
 * return false. Always end with offline_site_close().
 */
bool offline_site_learn(const struct ctl *ctl,
			const struct text_request *request,
			struct offline_site *site_out);

/*
 * Extract the text of a page without trouble, with its template if it has one;
 * `request` must be the one of offline_site_learn(). Once for each page; any
 * thread.
 */
enum error offline_site_answer(struct offline_site *site, size_t page,
			       const struct text_request *request,
			       struct extraction_result *answer_out);
void offline_site_close(struct offline_site *site);

/* A store for the verbs on files. */

/*
 * Open a store under $TMPDIR and unlink its files immediately, so that they
 * disappear when the process exits, for any reason. Errors are reported. End
 * with store_close().
 */
enum error temporary_store_open(const struct ctl *ctl,
				struct store **store_out);

/*
 * Create a folder under $TMPDIR, mode 0700, that remains until
 * temporary_folder_remove(), for a store with files next to its data. Return
 * NULL on an error, which is reported; otherwise free() the path.
 */
char *temporary_folder_make(const struct ctl *ctl);

/* Remove the folder and its files. */
void temporary_folder_remove(const char *path);

#endif
