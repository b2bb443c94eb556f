/*
 * template/text_answer.h - extraction requests: the request, the configuration
 * and the answer. The same for the daemon, for files and for bundles.
 */
#ifndef TEMPLATE_TEXT_ANSWER_H
#define TEMPLATE_TEXT_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/url/url.h"
#include "extract/answer_quality.h"
#include "extract/core/preference.h"
#include "extract/metadata/metadata.h"
#include "extract/render/content_block.h"
#include "extract/render/render.h"
#include "page/page.h"
#include "store/buffer.h"
#include "store/slice.h"
#include "template/document.h"
#include "template/extras.h"

struct answer_cache;
struct teaching;
struct learned_cache;
struct ridge_model;

struct answer_rules {
	struct page_limits limits;
	uint32_t min_cluster_pages; /* a smaller cluster has no template */
	const char *settings;       /* as in extract/settings.h; or NULL */
	const char *models; /* folder that may hold HOST.model; or NULL */
	const struct ridge_model *ridges; /* model for all other hosts; or NULL
					   */
	struct learned_cache *learned;    /* who answers in place: or NULL: no
					     cache */
	uint64_t max_learned;             /* bytes of it in a worker */
	struct answer_cache *answers; /* who has workers: finished ones; or NULL
				       */
	struct teaching *teaching;    /* the same: who has them learn ahead */
};

/* Rules with their defaults: 3 pages. */
extern const struct answer_rules answer_rules_default;

struct text_request {
	const struct url *url;
	enum format format;
	uint32_t extras;    /* of enum extra */
	const char *method; /* NULL: the default */
	const char *const
		*parameters; /* "name=value", ended by NULL; or NULL */
	struct preference preference;
	const char *include;  /* selectors of page/select/selector.h; or NULL */
	const char *exclude;  /* the same */
	struct slice body;    /* of a page that is handed in */
	struct slice charset; /* of its Content-Type, or empty */
};

/* Plain data, but for what text_answer_free() frees. */
struct text_answer {
	struct buffer text; /* in the format; TXT for FORMAT_JSON */
	/* NULL after an error, and when it is detached; owns what follows */
	struct page *page;
	struct metadata metadata;       /* FORMAT_JSON, FORMAT_XML, and
					   EXTRA_FRONT_MATTER alone */
	struct content_blocks blocks;   /* FORMAT_JSON alone */
	struct document document;       /* the same */
	const struct verdict *verdicts; /* [page->text_count], of the page */
	const bool *comments; /* the same: which are apart; NULL: none are */
	uint32_t extras;      /* as they were asked for */
	struct {
		struct buffer head; /* of a detached one: JSON of the page's */
		struct buffer rest; /* own fields, before and behind those of
				       its cluster */
	} detached;
	bool is_truncated; /* the page was cut at a limit */
	bool is_citable;   /* of a detached one: answer_is_citable() */
	char url[MAX_URL_BYTES + 1]; /* of the page, after redirects */
	char method[32];
	char reason[256]; /* the evidence that was used; or what failed, and
			     what to do */
	char cluster[MAX_HOST_BYTES + 16]; /* HOST/N, or "" */
	uint32_t cluster_pages;
	uint64_t generation; /* of the site: the state of its templates */
	uint64_t fetched_ms; /* 0: the page was handed in */
	bool has_template;   /* the method was given the template of the cluster
			      */
	struct preference preference;
	float confidence; /* of the method, 0..1; NAN: it gives none */
	enum answer_quality quality;
};

void text_answer_free(struct text_answer *answer);

#endif
