/*
 * Any bytes are a robots.txt, and what follows its first NUL a path. The answer
 * does not depend on how the lines end.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "crawl/robots.h"
#include "store/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool ask(struct slice file, struct slice path, uint32_t *delay_ms_out)
{
	struct arena *arena = arena_create();
	const struct robots *robots = robots_parse(arena, file, "templated");
	bool is_allowed = robots_allows(robots, path);

	*delay_ms_out = robots_delay_ms(robots);
	if (!robots_allows(robots, slice_of("/robots.txt")))
		abort();
	arena_destroy(arena);
	return is_allowed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size == 0 ? NULL : memchr(data, '\0', size);
	size_t length = end == NULL ? size : (size_t)(end - data);
	struct slice file = {data, length};
	struct slice path = {data + length, size - length};
	char *other = malloc(length + 1);
	uint32_t delay_ms;
	uint32_t other_ms;
	bool is_allowed;

	if (end != NULL)
		path = (struct slice){end + 1, size - length - 1};
	is_allowed = ask(file, path, &delay_ms);
	for (size_t i = 0; i < length; i++)
		other[i] = data[i] == '\n' ? '\r' : (char)data[i];
	if (ask((struct slice){other, length}, path, &other_ms) != is_allowed ||
	    other_ms != delay_ms || delay_ms > 3600 * 1000)
		abort();
	free(other);
	return 0;
}
