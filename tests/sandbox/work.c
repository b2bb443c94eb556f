/* tests/sandbox/work.c - work ROLE WORD...: tests/sandbox/work.h. */
#include "tests/sandbox/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "daemon/privsep/sandbox.h"

enum { WRONG_USAGE = 2, FILES = 256 };

void work_enter(unsigned role, const char *const *readable)
{
	const struct sandbox_options options = {
		.role = (enum role)role,
		.readable = readable,
		.memory_bytes = 1ULL << 34,
		.max_files = FILES,
	};
	struct sandbox_report report;
	struct buffer text = {0};

	if (sandbox_enter(&options, &report) != ERR_NONE)
		abort();
	sandbox_describe(&report, &text);
	fprintf(stderr, "%s\n", text.data);
	buffer_free(&text);
}

int main(int count, char **values)
{
	static const struct {
		const char *name;
		int words;
		int (*run)(char **words);
	} works[] = {
		{"main", 1, work_keeper},
		{"spawner", 1, work_starter},
		{"fetcher", 2, work_fetcher},
		{"worker", 2, work_worker},
	};

	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		if (count >= 2 + works[i].words &&
		    strcmp(values[1], works[i].name) == 0)
			return works[i].run(values + 2);
	fputs("usage: work ROLE WORD...\n", stderr);
	return WRONG_USAGE;
}
