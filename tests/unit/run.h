/* tests/unit/run.h - a file test_NAME.c defines one suite: SUITE(NAME) { ... }
 * returns a new Suite. Each module has a test program, which run.c begins:
 *
 *   test_MODULE [SUITE...]	run these suites, or all
 *   test_MODULE --list		print the names of the suites
 */
#ifndef TESTS_UNIT_RUN_H
#define TESTS_UNIT_RUN_H

#include <check.h>

#define SUITE(name)                \
	Suite *name##_suite(void); \
	Suite *name##_suite(void)

/* The suites of this program, which CMake writes; the last has no name. */
struct named_suite {
	const char *name;
	Suite *(*create)(void);
};
extern const struct named_suite named_suites[];

#endif
