/* extract/auto/window.h - the passages around a passage. */
#ifndef EXTRACT_AUTO_WINDOW_H
#define EXTRACT_AUTO_WINDOW_H

#include "extract/text/passage.h"

static inline uint32_t window_edge(const struct passages *passages,
				   int64_t index)
{
	if (index < 0)
		return 0;
	return index < passages->count ? (uint32_t)index : passages->count;
}

/* Return the passages from index + begin to before index + end that exist. */
static inline struct passage_range window_at(const struct passages *passages,
					     uint32_t index, int begin, int end)
{
	return (struct passage_range){
		window_edge(passages, (int64_t)index + begin),
		window_edge(passages, (int64_t)index + end),
	};
}

#endif
