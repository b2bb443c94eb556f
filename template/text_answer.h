/*
 * template/text_answer.h - extraction requests: the request, the options and
 * the result, for the daemon, for files and for bundles.
 */
#ifndef TEMPLATE_TEXT_ANSWER_H
#define TEMPLATE_TEXT_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "crawl/url.h"
#include "extract/answer_quality.h"
#include "extract/core/preference.h"
#include "extract/metadata/metadata.h"
#include "extract/render/content_block.h"
#include "extract/render/render.h"
#include "page/page.h"
#include "template/document.h"
#include "template/extras.h"

struct text_cache;
struct cache_warmer;
struct model_cache;
struct ridge_model;

struct extraction_options {
	struct page_limits limits;
	uint32_t min_cluster_pages; /* a smaller cluster has no template */
	const char *settings;       /* as in extract/settings.h; or NULL */
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

#endif
