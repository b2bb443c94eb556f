#include "extract/methods/entropy.h"

#include <math.h>

static double f_log_f(uint32_t f)
{
	return f == 0 ? 0 : f * log(f);
}

void entropy_add(struct entropy *entropy, uint32_t page)
{
	if (entropy->page != page + 1) {
		entropy->page = page + 1;
		entropy->on_page = 0;
	}
	entropy->sum -= f_log_f(entropy->on_page);
	entropy->sum += f_log_f(++entropy->on_page);
	entropy->total++;
}

/* -sum (f / T) ln (f / T) = ln T - (sum f ln f) / T, since sum f = T. */
double entropy_value(const struct entropy *entropy, uint32_t page_count)
{
	double value;

	if (page_count < 2 || entropy->total == 0)
		return 0;
	value = log(entropy->total) - entropy->sum / entropy->total;
	return fmin(fmax(value / log(page_count), 0), 1);
}
