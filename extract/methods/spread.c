#include "extract/methods/spread.h"

#include <math.h>

static double f_log_f(uint32_t f)
{
	return f == 0 ? 0 : f * log(f);
}

void spread_add(struct spread *spread, uint32_t page)
{
	if (spread->page != page + 1) {
		spread->page = page + 1;
		spread->on_page = 0;
	}
	spread->sum -= f_log_f(spread->on_page);
	spread->sum += f_log_f(++spread->on_page);
	spread->total++;
}

/* -sum (f / T) ln (f / T) = ln T - (sum f ln f) / T, since sum f = T. */
double spread_entropy(const struct spread *spread, uint32_t page_count)
{
	double entropy;

	if (page_count < 2 || spread->total == 0)
		return 0;
	entropy = log(spread->total) - spread->sum / spread->total;
	return fmin(fmax(entropy / log(page_count), 0), 1);
}
