/* tests/unit/run.h - the file test_NAME.c is the suite NAME. A test is a
 * function that begins with one of these; it registers itself:
 *
 *   TEST(name) { ... }
 *   TEST_LOOP(name, first, end) { ... }  once for each `_i`, end is excluded
 *   TEST_ROWS(name, table) { ... }       once for each row `table[_i]`
 *   TEST_ABORTS(name) { ... }            must end with SIGABRT
 *
 * `FIXTURE(.setup = begin, .teardown = end);` is for the tests below it in the
 * file, up to the next one. Each module has a test program, which run.c begins:
 *
 *   test_MODULE [SUITE...]	run these suites, or all
 *   test_MODULE --list		print the names of the suites
 *
 * This header also includes what most tests need.
 */
#ifndef TESTS_UNIT_RUN_H
#define TESTS_UNIT_RUN_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "page/page.h"

/* Created for each test, and destroyed after it. */
extern struct arena *test_arena;

void test_sleep_ms(unsigned ms);

/* A TCP port of 127.0.0.1 that was free a moment ago. */
uint16_t test_free_port(void);

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define ASSERT_OK(error) ck_assert_int_eq(error, ERR_NONE)

/*
 * A variable of these types frees what it holds when its block ends:
 * AUTO_PAGE *page = parse(html);
 */
#define AUTO(release) __attribute__((cleanup(release)))
#define AUTO_BUFFER   AUTO(buffer_free) struct buffer
#define AUTO_RESULT   AUTO(extraction_result_free) struct extraction_result
#define AUTO_ARENA    AUTO(auto_arena) struct arena
#define AUTO_PAGE     AUTO(auto_page) struct page
#define AUTO_TEXT     AUTO(auto_text) char

static inline void auto_arena(struct arena **arena)
{
	arena_destroy(*arena);
}

static inline void auto_page(struct page **page)
{
	page_destroy(*page);
}

static inline void auto_text(char **text)
{
	free(*text);
}

struct fixture {
	void (*setup)(void); /* in the process of each test */
	void (*teardown)(void);
	void (*setup_once)(void); /* in the parent, before the first test */
	void (*teardown_once)(void);
	double timeout_s;          /* of each test; 0 = 4 s */
	bool (*is_possible)(void); /* false: skip the tests; NULL = true */
};

/* A test, or a fixture: then `function.fn` is NULL. */
struct test_entry {
	TTest function;
	int first;
	int end;
	int signal;
	struct fixture fixture;
	struct test_entry *next;
};

/* Add the entry, which stays, to the suite of its file, in the order of lines.
 */
void test_register(struct test_entry *entry);

#define TEST_PASTE(a, b) a##b
#define TEST_JOIN(a, b)  TEST_PASTE(a, b)

#define TEST_REGISTER(id, ...)                                       \
	__attribute__((constructor)) static void id##_register(void) \
	{                                                            \
		static struct test_entry entry;                      \
                                                                     \
		entry = (struct test_entry){__VA_ARGS__};            \
		test_register(&entry);                               \
	}

#define TEST_FIXTURE(id, ...)                                           \
	TEST_REGISTER(id, .function = {NULL, NULL, __FILE__, __LINE__}, \
		      .fixture = {__VA_ARGS__})                         \
	struct test_entry
#define FIXTURE(...) TEST_FIXTURE(TEST_JOIN(fixture_, __LINE__), __VA_ARGS__)

#define TEST_FUNCTION(name, from, to, raised)                                \
	static void name(int _i);                                            \
	TEST_REGISTER(name, .function = {#name, name, __FILE__, __LINE__},   \
		      .first = (from), .end = (int)(to), .signal = (raised)) \
	static void name(int _i CK_ATTRIBUTE_UNUSED)

#define TEST(name)                  TEST_FUNCTION(name, 0, 1, 0)
#define TEST_LOOP(name, first, end) TEST_FUNCTION(name, first, end, 0)
#define TEST_ROWS(name, table)      TEST_FUNCTION(name, 0, COUNT_OF(table), 0)
#define TEST_ABORTS(name)           TEST_FUNCTION(name, 0, 1, SIGABRT)

#endif
