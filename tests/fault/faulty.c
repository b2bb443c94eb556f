/*
 * The daemon with a buggy parser: depending on the page, it crashes, spins, or
 * exhausts the memory of the process that parses it. Linked with
 * --wrap=page_parse.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "page/page.h"

/* The names that the linker gives. */
/* NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming) */
enum error __real_page_parse(struct page **page_out, struct slice body,
			     struct slice charset,
			     const struct page_limits *limits);
enum error __wrap_page_parse(struct page **page_out, struct slice body,
			     struct slice charset,
			     const struct page_limits *limits);

enum { PIECE_BYTES = 1 << 20, EXIT_STATUS = 3 };

static void crash(void)
{
	volatile char *volatile nowhere = NULL;

	*nowhere = 'x'; /* NOLINT(clang-analyzer-core.NullDereference) */
}

static void spin(void)
{
	volatile unsigned turns = 0;

	for (;;)
		turns = turns + 1;
}

static void eat(void)
{
	for (;;)
		memset(mem_alloc(1, PIECE_BYTES), 'x', PIECE_BYTES);
}

static void hang(void)
{
	for (;;)
		poll(NULL, 0, -1);
}

static void leave(void)
{
	_exit(EXIT_STATUS);
}

static const struct {
	const char *magic;
	void (*act)(void);
} faults[] = {
	{"<!--fault:crash-->", crash}, {"<!--fault:spin-->", spin},
	{"<!--fault:memory-->", eat},  {"<!--fault:abort-->", abort},
	{"<!--fault:exit-->", leave},  {"<!--fault:hang-->", hang},
};

enum error __wrap_page_parse(struct page **page_out, struct slice body,
			     struct slice charset,
			     const struct page_limits *limits)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (body.size > 0 &&
		    memmem(body.data, body.size, faults[i].magic,
			   strlen(faults[i].magic)) != NULL)
			faults[i].act();
	return __real_page_parse(page_out, body, charset, limits);
}
/* NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming) */
