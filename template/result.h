/*
 * template/result.h - extraction requests and results: the facts about a page,
 * its content as JSON, its metadata as YAML, and absolute addresses.
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

/* The host of pages from files, which have no URL. */
#define OFFLINE_HOST "site.invalid"

/* The URL to resolve relative addresses against. */
struct base_address {
	struct url url;
	bool is_known;
};

/* `url` may be NULL: then only an absolute base element sets the base. */
struct base_address base_of_page(const struct page *page,
				 const struct url *url);

/*
 * Append the absolute address of `href`, for struct render_request; `base` is a
 * known struct base_address. Keep the fragment. Return false if the result is
 * not an http or https address.
 */
bool absolute_append(const void *base, struct slice href, struct buffer *out);

/* All of it belongs to the page's arena. */
struct document {
	struct slice hostname; /* of the page's URL, or of the canonical one,
				  without a port; or empty */
	struct slice excerpt;  /* extract/render/render.h */
	uint32_t words;        /* of the text: extract/text/word.h */
	enum direction direction;
	uint64_t fingerprint;  /* of the text: extract/text/fragment.h */
	struct slice comments; /* the text of EXTRA_COMMENTS_APART; data is NULL
				  if not requested */
	struct reference_list images; /* of EXTRA_IMAGES: the lead image first,
					 even if only the head names it */
	struct reference_list links;  /* of EXTRA_LINKS */
};

/*
 * Compute the document of a result that has its metadata, its blocks and its
 * verdicts; `text` is its content as TXT. Linear.
 */
struct document document_make(const struct extraction_result *answer,
			      struct slice text, uint32_t extras,
			      const struct base_address *base);

/* Any combination; extras of one format have no effect in others. */
enum extra {
	EXTRA_COMMENTS = 1,       /* readers' comments, in the text */
	EXTRA_COMMENTS_APART = 2, /* the same; JSON: in a separate field */
	EXTRA_IMAGES = 4,         /* JSON: a list of the images */
	EXTRA_LINKS = 8,          /* JSON: a list of the links */
	EXTRA_FRONT_MATTER = 16,  /* MD: the metadata before it, in YAML */
	EXTRA_NO_TABLES = 32,     /* omit the text in tables */
	EXTRAS = 63,              /* all extras */
};

/* Add the extras of a comma-separated list; false for an unknown word. */
bool extras_read(const char *list, uint32_t *extras);

/* The words that extras_read() accepts, for messages. */
#define EXTRAS_WORDS "comments, comments-apart, images, links, front-matter"

/* Return the word of an extra; NULL for EXTRA_NO_TABLES, which has none. */
const char *extra_word(enum extra extra);

struct extraction_options {
	struct page_limits limits;
	uint32_t min_cluster_pages; /* a smaller cluster has no template */
	const char *settings;       /* as in extract/extractors.h; or NULL */
	const char *models; /* folder that may hold HOST.model; or NULL */
	const struct ridge_model *ridges; /* model for all other hosts; or NULL
					   */
	struct model_cache *learned;      /* in this process; or NULL */
	uint64_t max_learned;             /* its size in bytes in a worker */
	struct text_cache *answers;       /* texts from workers; or NULL */
	struct cache_warmer *teaching;    /* warms the cache; or NULL */
};

/* Options with their defaults: 3 pages. */
extern const struct extraction_options extraction_options_default;

struct text_request {
	const struct url *url;
	enum format format;
	uint32_t extras;    /* set of enum extra */
	const char *method; /* NULL = default */
	const char *const
		*parameters; /* "name=value", ends with NULL; or NULL */
	struct preference preference;
	const char *include;  /* selectors of page/selector.h; or NULL */
	const char *exclude;  /* the same */
	struct slice body;    /* of an uploaded page */
	struct slice charset; /* of its Content-Type, or empty */
};

/* Plain data, except the fields that extraction_result_free() frees. */
struct extraction_result {
	struct buffer text; /* in the format; TXT for FORMAT_JSON */
	/* NULL after an error, and if detached; owns the fields below */
	struct page *page;
	struct metadata metadata;       /* only for FORMAT_JSON, FORMAT_XML, and
					   EXTRA_FRONT_MATTER */
	struct content_blocks blocks;   /* only for FORMAT_JSON */
	struct document document;       /* only for FORMAT_JSON */
	const struct verdict *verdicts; /* [page->text_count], of the page */
	const bool *comments; /* the same: separate comments; NULL = none */
	uint32_t extras;      /* as requested */
	struct {
		struct buffer head; /* if detached: JSON of the page's */
		struct buffer rest; /* own fields, before and after the fields
				       of its cluster */
	} detached;
	bool is_truncated;           /* the page exceeded a limit */
	bool is_citable;             /* if detached: result_is_citable() */
	char url[MAX_URL_BYTES + 1]; /* of the page, after redirects */
	char method[32];
	char reason[256]; /* the evidence used; or the failure and its remedy */
	char cluster[MAX_HOST_BYTES + 16]; /* HOST/N, or "" */
	uint32_t cluster_pages;
	uint64_t generation; /* of the site: the state of its templates */
	uint64_t fetched_ms; /* 0 = an uploaded page */
	bool has_template;   /* the method used the template of the cluster */
	struct preference preference;
	float confidence; /* of the method, 0..1; NAN = none */
	enum text_quality quality;
};

void extraction_result_free(struct extraction_result *answer);

/*
 * Offsets of the site's generation in the JSON of a result, in bytes from its
 * start.
 */
struct generation_places {
	size_t at[2]; /* [count], ascending: of the site, of the template */
	size_t count;
};

/*
 * Append one object: url, title, language, description, cluster (HOST/N or
 * null), cluster_pages, generation, fetched (RFC 3339 or null), truncated;
 * method, reason, template (id, version, pages; null if the method did not use
 * one), favor, scope, confidence, quality; metadata (value and source of each,
 * or null), hostname, excerpt, word_count, direction, fingerprint, text, blocks
 * (kind, level, score, text), comments, images (src, alt), links (href, text);
 * the last three are null unless requested. Invalid UTF-8 becomes '?'. One
 * line. `places_out` may be NULL.
 */
void result_json(const struct extraction_result *answer,
		 struct generation_places *places_out, struct buffer *out);

/*
 * Free the page of a result in this format, and keep the data to write it
 * later; the fields of the cluster, and the reason, may still change.
 */
void result_detach(struct extraction_result *answer, enum format format);

/*
 * Append a YAML document between lines of "---", in the form that site
 * generators read, each known value in double quotes. The result must have its
 * metadata.
 */
void front_matter_append(const struct extraction_result *answer,
			 struct buffer *out);

#endif
