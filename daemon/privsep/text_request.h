/*
 * daemon/privsep/text_request.h - the fields of TASK_TEXT, and of its requests
 * to the main process. All of them concern one site, which the main process has
 * selected.
 */
#ifndef DAEMON_PRIVSEP_TEXT_REQUEST_H
#define DAEMON_PRIVSEP_TEXT_REQUEST_H

#include "daemon/privsep/requests.h"
#include "template/site_view.h"
#include "template/text_answer.h"

/* Like struct known_page; also the response to ASK_FIND. */
struct known_field {
	uint64_t key;
	uint64_t content_hash;
	uint32_t cluster;
	uint32_t http_status;
	uint32_t is_found; /* 0 = no such page */
	uint32_t reserved;
	struct slice charset;
};

/*
 * TASK_TEXT. Body: the page. With is_told, the site's data about the page
 * follows, so that the task need not request it: the hashes of its fragments,
 * [told_count], ascending, and for each the number of pages of its cluster that
 * contain it, u32 [told_count]; empty if extraction_needs_counts() is false. An
 * empty text means a missing value.
 */
struct text_task_request {
	struct limits_field limits;
	uint64_t fetched_ms;  /* of a stored page */
	uint64_t generation;  /* of the site */
	uint64_t site;        /* identifies the site; 0 = no site */
	uint64_t max_learned; /* size of the model cache */
	uint64_t page_bytes;  /* size in the body, with is_told */
	uint64_t told_count;
	uint32_t is_stored; /* the site stores the page as `known` */
	uint32_t measure;   /* of the site */
	uint32_t width;
	uint32_t threshold;
	uint32_t min_cluster_pages;
	uint32_t has_models; /* the site may have its own model */
	uint32_t format;
	uint32_t scope;
	uint32_t favor;
	uint32_t extras;
	uint32_t is_told;
	uint32_t told_cluster; /* cluster of the page; 0 = no cluster, and no
				  data follows */
	uint32_t told_pages;   /* pages of the cluster */
	uint32_t told_changes; /* struct cluster_state */
	struct slice host;     /* of the site */
	struct slice url;      /* of the request */
	struct slice page_url; /* after redirects */
	struct slice known;    /* struct known_field */
	struct slice settings; /* with its NUL, like the texts below */
	struct slice method;
	struct slice include;
	struct slice exclude;
	struct slice parameters; /* a list of texts, each with its NUL */
	struct slice charset;    /* without a NUL */
};

/* The response. Body: the text, or the JSON object. */
struct text_task_answer {
	uint64_t generation_at; /* struct generation_places; 0 = none */
	uint64_t version_at;
	int32_t error;
	uint32_t quality;
	uint32_t has_confidence;
	float confidence;
	struct slice method;
	struct slice reason;
	struct slice cluster;
};

/*
 * ASK_FIND: the head is the URL. ASK_SAMPLE: the number is the cluster.
 * ASK_MODEL: no head; the body of the response is the file.
 */
struct number_field {
	uint64_t number;
};

/*
 * The response to ASK_SAMPLE: the result of a sample_reader
 * (daemon/privsep/learned.h). Body: the sample.
 */
struct sample_field {
	int32_t error;
	uint32_t changes;
};

/* ASK_SITE: struct site_query. Body: the fragments, then the signature. */
struct site_question_field {
	uint64_t fragment_count;
	uint32_t is_known;
	uint32_t reserved;
	struct slice known; /* struct known_field, with is_known */
	struct slice url;   /* or empty */
};

/*
 * The response to ASK_SITE. Body: the frequencies, [fragment_count]; empty if
 * the cluster is 0.
 */
struct site_answer_field {
	uint64_t generation;
	int32_t error;
	uint32_t is_there;
	uint32_t cluster;
	uint32_t page_count;
	uint32_t changes;
	uint32_t reserved;
};

/* The response to ASK_MODEL; `path` names the model in messages. */
struct model_field {
	int32_t error;
	uint32_t is_there;
	struct slice path;
};

extern const struct row_codec known_field_layout;
extern const struct row_codec text_task_request_layout;
extern const struct row_codec text_task_answer_layout;
extern const struct row_codec number_field_layout;
extern const struct row_codec sample_field_layout;
extern const struct row_codec site_question_field_layout;
extern const struct row_codec site_answer_field_layout;
extern const struct row_codec model_field_layout;

struct known_field known_to_field(const struct known_page *page);
struct known_page known_of_field(const struct known_field *field);

#endif
