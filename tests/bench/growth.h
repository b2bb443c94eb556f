/* tests/bench/growth.h - how the cost of a method grows with the page. */
#ifndef TESTS_BENCH_GROWTH_H
#define TESTS_BENCH_GROWTH_H

#include <stdbool.h>

#include "base/buffer.h"
#include "tests/bench/contestant.h"

/*
 * Time every method on pages of 10 kB, 100 kB, 1 MB and 10 MB, each the
 * repeated body of `source`, cut after the last tag; print a row each with the
 * exponent of the line that fits the logarithms best. A body of about 10 kB
 * makes them alike. Return false if no page can be made.
 */
bool growth_print(struct contestants *contestants, struct slice source,
		  bool is_tsv);

#endif
