#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "page/page.h"
#include "template/bundle_parts.h"
#include "template/cursor.h"
#include "template/learning.h"

enum { MAX_CHARSET_BYTES = 256 };

/* The template model of a method and a cluster. */
struct bundle_model {
	struct bundle_model *next;
	const struct extractor *extractor;
	double parameters[MAX_PARAMETERS];
	uint32_t cluster;
	struct arena *arena;
	const void *knowledge; /* in the arena */
	size_t bytes;
};

bool bundle_check_samples(struct slice bytes, size_t max_bytes)
{
	struct byte_cursor cursor = cursor_of(bytes);
	uint32_t count = 0;

	while (!cursor.is_broken && cursor_left(&cursor) > 0) {
		cursor_text(&cursor, MAX_CHARSET_BYTES);
		cursor_text(&cursor, max_bytes);
		count++;
	}
	return cursor_is_done(&cursor) && count <= MAX_SAMPLE_PAGES &&
	       bytes.size / MIN_SAMPLE_PAGES <= max_bytes + MAX_SAMPLE_BYTES;
}

static void bundle_model_free(struct bundle_model *lesson)
{
	arena_destroy(lesson->arena);
	free(lesson);
}

void bundle_free_models(struct bundle *bundle)
{
	while (bundle->newest != NULL) {
		struct bundle_model *next = bundle->newest->next;

		bundle_model_free(bundle->newest);
		bundle->newest = next;
	}
	bundle->learned_bytes = 0;
}

/* Free the least recently used models, but never the newest. */
static void bundle_evict_models(struct bundle *bundle)
{
	while (bundle->learned_bytes > bundle->limits.max_learned &&
	       bundle->newest->next != NULL) {
		struct bundle_model **oldest = &bundle->newest->next;

		while ((*oldest)->next != NULL)
			oldest = &(*oldest)->next;
		bundle->learned_bytes -= (*oldest)->bytes;
		bundle_model_free(*oldest);
		*oldest = NULL;
	}
}

static bool bundle_model_matches(const struct bundle_model *lesson,
				 uint32_t cluster,
				 const struct extractor *extractor,
				 const double *parameters)
{
	return lesson->extractor == extractor && lesson->cluster == cluster &&
	       extractor_builds_same_model(extractor, lesson->parameters,
					   parameters);
}

void bundle_each_sample(const struct bundle *bundle, uint32_t cluster,
			void (*visit)(void *visitor, struct slice charset,
				      struct slice body),
			void *visitor)
{
	const struct bundle_cluster *row = bundle_cluster(bundle, cluster);
	struct buffer bytes = {0};
	struct byte_cursor cursor = {0};

	if (row != NULL && row->samples != NULL &&
	    container_unpack(row->samples, &bytes) == ERR_NONE)
		cursor = cursor_of(buffer_slice(&bytes));
	while (cursor_left(&cursor) > 0) {
		struct slice charset = cursor_text(&cursor, MAX_CHARSET_BYTES);

		visit(visitor, charset, cursor_text(&cursor, UINT32_MAX));
	}
	buffer_free(&bytes);
}

struct parsed_sample {
	const struct page_limits *limits;
	struct page *pages[MAX_SAMPLE_PAGES];
	uint32_t count;
};

/* Parse a page with the largest limits that a daemon may have. */
static void bundle_parse_sample_page(void *visitor, struct slice charset,
				     struct slice body)
{
	struct parsed_sample *sample = visitor;
	struct page_limits wide = *sample->limits;

	if (wide.max_bytes < body.size)
		wide.max_bytes = body.size;
	if (sample->count < MAX_SAMPLE_PAGES)
		sample->count += page_parse(&sample->pages[sample->count], body,
					    charset, &wide) == ERR_NONE;
}

static struct bundle_model *
bundle_model_build(const struct bundle *bundle,
		   const struct bundle_cluster *cluster,
		   const struct extractor *extractor, const double *parameters)
{
	struct parsed_sample sample = {.limits = &bundle->site.limits};
	struct bundle_model *lesson;

	bundle_each_sample(bundle, cluster->number, bundle_parse_sample_page,
			   &sample);
	if (sample.count == 0)
		return NULL;
	lesson = mem_alloc(1, sizeof(*lesson));
	lesson->extractor = extractor;
	memcpy(lesson->parameters, parameters, sizeof(lesson->parameters));
	lesson->cluster = cluster->number;
	lesson->arena = arena_create();
	lesson->knowledge =
		template_model_build(extractor, lesson->parameters,
				     sample.pages, sample.count, lesson->arena);
	lesson->bytes = sizeof(*lesson) + arena_bytes(lesson->arena);
	return lesson;
}

struct template_model bundle_learn(struct bundle *bundle, uint32_t cluster,
				   const struct extractor *extractor,
				   const double *parameters)
{
	const struct bundle_cluster *row = bundle_cluster(bundle, cluster);
	struct bundle_model **link = &bundle->newest;
	struct bundle_model *lesson;

	while (*link != NULL &&
	       !bundle_model_matches(*link, cluster, extractor, parameters))
		link = &(*link)->next;
	lesson = *link;
	if (lesson != NULL) {
		*link = lesson->next;
	} else if (row != NULL && row->samples != NULL) {
		lesson = bundle_model_build(bundle, row, extractor, parameters);
		bundle->learned_bytes += lesson == NULL ? 0 : lesson->bytes;
	}
	if (lesson == NULL)
		return (struct template_model){
			.error = row == NULL || row->samples == NULL
					 ? ERR_BODY_EXPIRED
					 : ERR_CORRUPT};
	lesson->next = bundle->newest;
	bundle->newest = lesson;
	bundle_evict_models(bundle);
	return (struct template_model){lesson->knowledge, lesson, ERR_NONE};
}
