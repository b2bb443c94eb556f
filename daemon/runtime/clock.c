#include "daemon/runtime/clock.h"

#include <stddef.h>

const uint64_t time_bounds_us[TIME_BOUNDS] = {
	100,   250,    500,    1000,   2500,    5000,    10000,    25000,
	50000, 100000, 250000, 500000, 1000000, 2500000, 10000000, 30000000,
};

void time_histogram_add(struct time_histogram *histogram, uint64_t time_us)
{
	size_t i = 0;

	while (i < TIME_BOUNDS && time_us > time_bounds_us[i])
		i++;
	histogram->counts[i]++;
	histogram->sum_us += time_us;
}

void time_histogram_join(struct time_histogram *histogram,
			 const struct time_histogram *more)
{
	for (size_t i = 0; i <= TIME_BOUNDS; i++)
		histogram->counts[i] += more->counts[i];
	histogram->sum_us += more->sum_us;
}

uint64_t time_histogram_count(const struct time_histogram *histogram)
{
	uint64_t count = 0;

	for (size_t i = 0; i <= TIME_BOUNDS; i++)
		count += histogram->counts[i];
	return count;
}
