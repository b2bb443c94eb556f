/* Any bytes as a ridge model: what is read decides by finite numbers, and is
 * the same when it is written and read again. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "extract/methods/ridge.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static double value_of(const struct ridge_model *model, int step)
{
	const double features[RIDGE_FEATURES] = {step / 4.0, 1 - step / 4.0, 1,
						 step % 2};
	double value;

	ridge_model_classify(model, features, &value);
	if (!isfinite(value))
		abort();
	return value;
}

static void check(const struct ridge_model *model)
{
	struct ridge_model *again = NULL;
	struct buffer text = {0};

	ridge_model_write(model, slice_of("a note"), &text);
	if (ridge_model_read(&again, buffer_slice(&text)) != ERR_NONE)
		abort();
	/* features are written with four digits: they may move */
	for (int step = 0; step <= 4; step++)
		if (!isfinite(value_of(model, step) - value_of(again, step)))
			abort();
	buffer_free(&text);
	ridge_model_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct ridge_model *model = NULL;

	if (ridge_model_read(&model, (struct slice){bytes, size}) == ERR_NONE)
		check(model);
	else if (model != NULL)
		abort();
	ridge_model_destroy(model);
	return 0;
}
