/*
 * template/result.h - requests and results of extraction: the data about a
 * page, its content as JSON, its metadata as YAML, and absolute addresses.
 */
#ifndef TEMPLATE_RESULT_H
#define TEMPLATE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "crawl/url/url.h"
#include "extract/core/extractor.h"
#include "extract/extractors.h"
#include "extract/metadata/metadata.h"
#include "extract/render/layout.h"
#include "extract/render/markdown.h"
#include "extract/render/render.h"
#include "extract/text/block.h"
#include "page/page.h"

struct base_address;
struct cache_warmer;
struct extraction_result;
struct model_cache;
struct ridge_model;
struct text_cache;

/* The host in the URL of a page from a file, which has no URL. */
#define OFFLINE_HOST "site.invalid"

/* The URL against which relative addresses are resolved. */
struct base_address {
	struct url url;
	bool is_known;
};

/*
 * Return the base address of a page. `url` is the URL of the page, or NULL if
 * it is unknown: then only a base element with an absolute address sets the
 * base.
 */
struct base_address base_of_page(const struct page *page,
				 const struct url *url);

/*
 * Append the absolute address of `href` with its fragment; a function for
 * struct render_request. `base` is a struct base_address with is_known. Return
 * false if the result is not an http or https address.
 */
bool absolute_append(const void *base, struct slice href, struct buffer *out);

/* Facts about the content. The arena of the page owns all of them. */
struct document {
	struct slice hostname; /* host of the page's URL or, without one, of its
				  canonical URL; without port; or empty */
	struct slice excerpt;  /* see extract/render/render.h */
	uint32_t words;        /* words of the text: extract/text/word.h */
	enum direction direction;
	uint64_t fingerprint; /* fingerprint of the text:
				 extract/text/fragment.h */
	/*
	 * for EXTRA_COMMENTS_APART: text of the comments; data is NULL if they
	 * were not requested
	 */
	struct slice comments;
	/*
	 * for EXTRA_IMAGES; the lead image is first, even if only the head
	 * refers to it
	 */
	struct reference_list images;
	struct reference_list links; /* for EXTRA_LINKS */
};

/*
 * Compute the document of a result, whose metadata, blocks and verdicts must be
 * set. `text` is its content as TXT. Linear.
 */
struct document document_make(const struct extraction_result *answer,
			      struct slice text, uint32_t extras,
			      const struct base_address *base);

/*
 * Optional parts of a result, in any combination. An extra for another format
 * has no effect.
 */
enum extra {
	EXTRA_COMMENTS = 1,       /* readers' comments as part of the text */
	EXTRA_COMMENTS_APART = 2, /* in JSON as a separate field, otherwise like
				     EXTRA_COMMENTS */
	EXTRA_IMAGES = 4,         /* JSON: a list of images */
	EXTRA_LINKS = 8,          /* JSON: a list of links */
	/* Markdown: the metadata before the text, in YAML */
	EXTRA_FRONT_MATTER = 16,
	EXTRA_NO_TABLES = 32, /* the text without data tables */
	EXTRA_NO_TITLE = 64,  /* Markdown and HTML: no heading that the text
				 does not have */
	EXTRAS = 127,         /* all of them */
};

/*
 * Add the extras in a comma-separated list to *extras. Return false for an
 * unknown word.
 */
bool extras_read(const char *list, uint32_t *extras);

/* The words that extras_read() accepts, for messages. */
#define EXTRAS_WORDS "comments, comments-apart, images, links, front-matter"

/*
 * The same for the extras that omit something. Their words are EXTRAS_OMITTED.
 */
bool extras_read_omitted(const char *list, uint32_t *extras);

#define EXTRAS_OMITTED "tables, title"

/* Return the word of an extra, for one of the two lists. */
const char *extra_word(enum extra extra);

/* Return true if the word of an extra is one of EXTRAS_OMITTED. */
bool extra_is_omission(enum extra extra);

struct extraction_options {
	struct page_limits limits;
	uint32_t min_cluster_pages; /* clusters with fewer pages have no
				       template */
	const char *settings; /* method options as in extract/extractors.h; or
				 NULL */
	/* folder of the models of sites, HOST.model; or NULL */
	const char *models;
	const struct ridge_model *ridges; /* ridge model of all sites without a
					     model of their own; or NULL */
	/* cache of template models in this process; or NULL */
	struct model_cache *learned;
	uint64_t max_learned; /* maximum bytes of that cache in a worker */
	struct text_cache *answers; /* cache of texts; or NULL */
	/* fills the cache of texts in advance; or NULL */
	struct cache_warmer *teaching;
};

/* The defaults; min_cluster_pages is 3. */
extern const struct extraction_options extraction_options_default;

struct text_request {
	const struct url *url;
	enum format format;
	uint32_t extras;    /* set of enum extra */
	const char *method; /* NULL = default */
	const char *const *
		parameters; /* "name=value"...; the last one is NULL; or NULL */
	struct preference preference;
	const char *include;  /* selectors of page/selector.h: elements to
				 include; or NULL */
	const char *exclude;  /* selectors of elements to exclude; or NULL */
	struct slice body;    /* source of an uploaded page */
	struct slice charset; /* charset of its Content-Type header, or empty */
};

/*
 * The result of an extraction. Plain data, except for the fields that
 * extraction_result_free() frees.
 */
struct extraction_result {
	/* in the requested format; as TXT for FORMAT_JSON */
	struct buffer text;
	/* NULL after an error or result_detach(); owns the following fields */
	struct page *page;
	struct metadata metadata;     /* only for FORMAT_JSON, FORMAT_XML and
					 EXTRA_FRONT_MATTER */
	struct content_blocks blocks; /* only for FORMAT_JSON */
	struct document document;     /* only for FORMAT_JSON */
	const struct verdict
		*verdicts;    /* [page->text_count] verdict for each text */
	const bool *comments; /* [page->text_count] texts of separate comments;
				 NULL = none */
	const struct page_titles *titles; /* of the sample of the template, or
					     NULL */
	uint32_t extras;                  /* set of enum extra of the request */
	/*
	 * Set by result_detach(): JSON of the page's own fields, before and
	 * after the fields of its cluster.
	 */
	struct {
		struct buffer head;
		struct buffer rest;
	} detached;
	bool is_truncated; /* a part of the page is missing, because it exceeded
			      a limit */
	bool is_citable;   /* set by result_detach(): result_is_citable() */
	char url[MAX_URL_BYTES + 1]; /* URL of the page after redirects */
	char method[32];
	char reason[256]; /* the evidence that was used; after an error its
			     cause and remedy */
	char cluster[MAX_HOST_BYTES + 16]; /* HOST/N, or "" */
	uint32_t cluster_pages;
	uint64_t generation; /* generation of the site, which changes with its
				templates */
	uint64_t fetched_ms; /* 0 = an uploaded page */
	/*
	 * since when the visits of the page return something else, which
	 * waits to be judged; 0 = nothing waits
	 */
	uint64_t waiting_ms;
	bool has_template; /* the method has used the template of the cluster */
	struct preference preference;
	float confidence; /* 0..1; NAN if the method returns none */
	enum text_quality quality;
};

void extraction_result_free(struct extraction_result *answer);

/*
 * Positions of the generation of the site in the JSON of a result, as offsets
 * in bytes.
 */
struct generation_places {
	size_t at[2]; /* [count]: in the result, and in its template */
	size_t count;
};

/*
 * Append the result as one JSON object in one line. Its fields are: url, title,
 * language, description, cluster (HOST/N or null), cluster_pages, generation,
 * fetched and waiting (RFC 3339 or null), truncated; method, reason, template
 * (id, version, pages; null if the method has used none), favor, scope,
 * confidence, quality; metadata (value and source of each, or null), hostname,
 * excerpt, word_count, direction, fingerprint, text, blocks (kind, level,
 * score, text); comments, images (src, alt) and links (href, text), which are
 * null unless requested. Invalid UTF-8 becomes '?'. `places_out` may be NULL.
 */
void result_json(const struct extraction_result *answer,
		 struct generation_places *places_out, struct buffer *out);

/*
 * Free the page of a result, but keep the data that result_json() needs in this
 * format. Afterwards the fields of the cluster, and the reason, may still
 * change.
 */
void result_detach(struct extraction_result *answer, enum format format);

/*
 * Append the metadata as a YAML document between two lines of "---", in the
 * form that generators of web sites read. Each known value is in double quotes.
 * The metadata of the result must be set.
 */
void front_matter_append(const struct extraction_result *answer,
			 struct buffer *out);

#endif
