#include "extract/core/curve.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

uint32_t curve_step(uint32_t count)
{
	return count / MAX_CURVE_VALUES + (count % MAX_CURVE_VALUES > 0) +
	       (count == 0);
}

struct figure_series curve_series(struct arena *arena, const char *name,
				  const float *values, uint32_t count)
{
	uint32_t step = curve_step(count);
	uint32_t drawn = count / step + (count % step > 0);
	float *means = ARENA_NEW(arena, float, drawn);

	assert(drawn <= MAX_CURVE_VALUES);
	for (uint32_t i = 0; i < drawn; i++) {
		uint32_t begin = i * step;
		uint32_t end = count - begin < step ? count : begin + step;
		double sum = 0;

		for (uint32_t k = begin; k < end; k++)
			sum += (double)values[k];
		means[i] = (float)(sum / (end - begin));
	}
	return (struct figure_series){name, means, drawn};
}

const char *curve_label(struct arena *arena, const char *entries,
			uint32_t count)
{
	char label[80];
	uint32_t step = curve_step(count);

	if (step == 1)
		return entries;
	snprintf(label, sizeof(label), "%s / %u", entries, step);
	return arena_copy(arena, label, strlen(label));
}
