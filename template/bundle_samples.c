#include <stdlib.h>
#include <string.h>

#include "page/page.h"
#include "store/arena.h"
#include "store/memory.h"
#include "template/bundle_parts.h"
#include "template/cursor.h"
#include "template/learning.h"

enum { MAX_CHARSET_BYTES = 256 };

/* What a method has learned from a cluster. */
struct lesson {
	struct lesson *next;
	const struct extractor *extractor;
	double parameters[MAX_PARAMETERS];
	uint32_t cluster;
	struct arena *arena;
	const void *knowledge; /* in the arena */
	size_t bytes;
};

bool bundle_check_samples(struct slice bytes, size_t max_bytes)
{
	struct cursor cursor = cursor_of(bytes);
	uint32_t count = 0;

	while (!cursor.is_broken && cursor_left(&cursor) > 0) {
		cursor_text(&cursor, MAX_CHARSET_BYTES);
		cursor_text(&cursor, max_bytes);
		count++;
	}
	return cursor_is_done(&cursor) && count <= MAX_SAMPLE_PAGES &&
	       bytes.size / MIN_SAMPLE_PAGES <= max_bytes + MAX_SAMPLE_BYTES;
}

static void destroy(struct lesson *lesson)
{
	arena_destroy(lesson->arena);
	free(lesson);
}

void bundle_forget(struct bundle *bundle)
{
	while (bundle->newest != NULL) {
		struct lesson *next = bundle->newest->next;

		destroy(bundle->newest);
		bundle->newest = next;
	}
	bundle->learned_bytes = 0;
}

/* Free the least recently used lessons, but never the newest. */
static void make_room(struct bundle *bundle)
{
	while (bundle->learned_bytes > bundle->limits.max_learned &&
	       bundle->newest->next != NULL) {
		struct lesson **oldest = &bundle->newest->next;

		while ((*oldest)->next != NULL)
			oldest = &(*oldest)->next;
		bundle->learned_bytes -= (*oldest)->bytes;
		destroy(*oldest);
		*oldest = NULL;
	}
}

static bool answers(const struct lesson *lesson, uint32_t cluster,
		    const struct extractor *extractor, const double *parameters)
{
	return lesson->extractor == extractor && lesson->cluster == cluster &&
	       extractor_learns_the_same(extractor, lesson->parameters,
					 parameters);
}

/*
 * Parse the sample to pages_out [MAX_SAMPLE_PAGES]; returns how many. The
 * limits of a page are the largest that a daemon may have had.
 */
static uint32_t parse_samples(const struct bundle *bundle,
			      const struct section *section,
			      struct page **pages_out)
{
	struct buffer bytes = {0};
	struct cursor cursor;
	uint32_t count = 0;

	if (container_unpack(section, &bytes) != ERR_NONE) {
		buffer_free(&bytes);
		return 0;
	}
	cursor = cursor_of(buffer_slice(&bytes));
	while (cursor_left(&cursor) > 0 && count < MAX_SAMPLE_PAGES) {
		struct page_limits wide = bundle->site.limits;
		struct slice charset = cursor_text(&cursor, MAX_CHARSET_BYTES);
		struct slice body = cursor_text(&cursor, UINT32_MAX);

		if (wide.max_bytes < body.size)
			wide.max_bytes = body.size;
		count += page_parse(&pages_out[count], body, charset, &wide) ==
			 ERR_NONE;
	}
	buffer_free(&bytes);
	return count;
}

static struct lesson *learn(const struct bundle *bundle,
			    const struct bundle_cluster *cluster,
			    const struct extractor *extractor,
			    const double *parameters)
{
	struct page *pages[MAX_SAMPLE_PAGES];
	uint32_t count = parse_samples(bundle, cluster->samples, pages);
	struct lesson *lesson;

	if (count == 0)
		return NULL;
	lesson = mem_alloc(1, sizeof(*lesson));
	lesson->extractor = extractor;
	memcpy(lesson->parameters, parameters, sizeof(lesson->parameters));
	lesson->cluster = cluster->number;
	lesson->arena = arena_create();
	lesson->knowledge = learn_from(extractor, lesson->parameters, pages,
				       count, lesson->arena);
	lesson->bytes = sizeof(*lesson) + arena_bytes(lesson->arena);
	return lesson;
}

struct taught bundle_learn(struct bundle *bundle, uint32_t cluster,
			   const struct extractor *extractor,
			   const double *parameters)
{
	const struct bundle_cluster *row = bundle_cluster(bundle, cluster);
	struct lesson **link = &bundle->newest;
	struct lesson *lesson;

	while (*link != NULL && !answers(*link, cluster, extractor, parameters))
		link = &(*link)->next;
	lesson = *link;
	if (lesson != NULL) {
		*link = lesson->next;
	} else if (row != NULL && row->samples != NULL) {
		lesson = learn(bundle, row, extractor, parameters);
		bundle->learned_bytes += lesson == NULL ? 0 : lesson->bytes;
	}
	if (lesson == NULL)
		return (struct taught){0};
	lesson->next = bundle->newest;
	bundle->newest = lesson;
	make_room(bundle);
	return (struct taught){lesson->knowledge, lesson};
}
