/* tests/unit/run.h - every test program defines make_suite(); run.c has main().
 */
#ifndef TESTS_UNIT_RUN_H
#define TESTS_UNIT_RUN_H

#include <check.h>

/* The caller frees the suite by running it. */
Suite *make_suite(void);

#endif
