/*
 * daemon/answer.h - what the store knows, for the API and the offline verbs.
 * All functions only read, in a transaction of their own; any thread.
 */
#ifndef DAEMON_ANSWER_H
#define DAEMON_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/url.h"
#include "extract/content_block.h"
#include "extract/favor.h"
#include "extract/metadata.h"
#include "extract/quality.h"
#include "extract/render.h"
#include "page/page.h"
#include "store/buffer.h"
#include "store/error.h"
#include "store/slice.h"
#include "store/store.h"

struct arena;
struct learned_cache;
struct ridge_model;

struct answer_rules {
	struct page_limits limits;
	uint32_t min_cluster_pages; /* a smaller cluster has no template */
	const char *settings;       /* as in extract/settings.h; or NULL */
	const char *models; /* folder that may hold HOST.model; or NULL */
	const struct ridge_model *ridges; /* for all other hosts; or NULL */
	struct learned_cache *learned;    /* or NULL: nothing is kept */
};

/* Rules with their defaults: 3 pages. */
extern const struct answer_rules answer_rules_default;

struct text_request {
	const struct url *url;
	enum format format;
	const char *method; /* NULL: the default */
	const char *const
		*parameters; /* "name=value", ended by NULL; or NULL */
	enum favor favor;
	bool with_comments;
	const char *include; /* selectors of page/selector.h; or NULL */
	const char *exclude; /* the same */
	struct slice body;   /* answer_extract(): the page */
	struct slice
		charset; /* answer_extract(): of its Content-Type, or empty */
};

/* Plain data, but for what text_answer_free() frees. */
struct text_answer {
	struct buffer text;       /* in the format; TXT for FORMAT_JSON */
	struct page *page;        /* NULL after an error; owns what follows */
	struct metadata metadata; /* FORMAT_JSON and FORMAT_XML alone */
	struct content_blocks blocks; /* FORMAT_JSON alone */
	char url[MAX_URL_BYTES + 1];  /* of the page, after redirects */
	char method[32];
	char reason[256]; /* what it knew; or what failed, and what to do */
	char cluster[MAX_HOST_BYTES + 16]; /* HOST/N, or "" */
	uint32_t cluster_pages;
	uint64_t generation; /* of the site: the state of its templates */
	uint64_t fetched_ms; /* 0: the page was handed in */
	bool has_template;   /* the method was given that of the cluster */
	enum favor favor;
	float confidence; /* the method's, 0..1; NAN: it tells none */
	enum quality quality;
};

void text_answer_free(struct text_answer *answer);

/*
 * The content of a stored page; redirects are followed. ERR_NOT_FOUND: the page
 * is not in the store (reason says what became of its URL, if it is known).
 */
enum error answer_text(struct store *store, const struct answer_rules *rules,
		       const struct text_request *request,
		       struct text_answer *answer_out);

/*
 * The content of the page request->body, as if it stood at request->url (NULL:
 * at no site): it is classed with the stored pages of that site, and counted as
 * one of its cluster, without being stored. `store` may be NULL. ERR_NOT_HTML,
 * ERR_NOT_FOUND (method), ERR_REFUSED (it needs a template).
 */
enum error answer_extract(struct store *store, const struct answer_rules *rules,
			  const struct text_request *request,
			  struct text_answer *answer_out);

/* What is known of a URL, for those who wait for it. */
enum page_state {
	PAGE_UNKNOWN, /* never heard of */
	PAGE_AWAITED, /* in the frontier, not fetched yet */
	PAGE_PRESENT, /* stored */
	PAGE_REFUSED, /* failed or denied: the error says why */
};

struct page_standing {
	enum page_state state;
	enum error error; /* PAGE_REFUSED, or the last visit has failed */
	uint16_t http_status;
	uint64_t fetched_ms;    /* PAGE_PRESENT */
	uint32_t cluster_pages; /* PAGE_PRESENT: pages like it */
	uint32_t site_pending;  /* URLs of its site that wait */
	bool is_sample;         /* its site is crawled for asked pages alone */
};

enum error answer_standing(struct store *store, const struct url *url,
			   struct page_standing *standing_out);

/* The fragments that make the template of a cluster. */
struct template_fragment {
	uint64_t hash;
	uint32_t document_frequency;
	bool is_known;     /* its text was found on a sampled page */
	struct slice text; /* collapsed; in template_answer.arena */
};

struct template_answer {
	uint32_t page_count;
	uint64_t generation;
	struct template_fragment *fragments; /* highest DF first, [count] */
	size_t count;
	struct arena *arena; /* owns the texts */
};

/*
 * The fragments of cluster `number` of `host` that stand in more than a third
 * of its pages, with their text from up to 16 of its pages. ERR_NOT_FOUND.
 */
enum error answer_template(struct store *store,
			   const struct answer_rules *rules, const char *host,
			   uint32_t number, struct template_answer *answer_out);
void template_answer_free(struct template_answer *answer);

#endif
