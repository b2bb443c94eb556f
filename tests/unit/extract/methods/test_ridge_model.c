#include "extract/methods/ridge.h"

#include <math.h>

#include "base/file.h"
#include "base/memory.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

enum { EXAMPLES = 60 };

/* High and wide ridges are primary, except every tenth. */
static struct ridge_model *train(size_t count)
{
	struct ridge_example *examples = mem_alloc(count, sizeof(*examples));
	struct ridge_model *model;
	uint64_t state = 7;

	for (size_t i = 0; i < count; i++) {
		double *features = examples[i].features;

		for (int k = 0; k < RIDGE_FEATURES; k++)
			features[k] =
				(double)(random_next(&state) % 10001) / 10000;
		examples[i].is_primary =
			(features[0] + features[1] > 1) != (i % 10 == 9);
	}
	model = ridge_model_train(examples, count, 1, 3);
	free(examples);
	return model;
}

static double value_of(const struct ridge_model *model, double height,
		       double width)
{
	const double features[RIDGE_FEATURES] = {height, width, 0.5, 0.5};
	double value;

	ck_assert_int_eq(ridge_model_classify(model, features, &value),
			 value > 0);
	return value;
}

TEST(what_was_shown_is_learned)
{
	struct ridge_model *model = train(EXAMPLES);

	ck_assert_double_gt(value_of(model, 0.9, 0.9), 0);
	ck_assert_double_lt(value_of(model, 0.1, 0.1), 0);
	ridge_model_destroy(model);
}

/* The kind of the first example decides nothing. */
TEST(labels_keep_their_sign)
{
	const struct ridge_example examples[] = {
		{{0.1, 0.1, 0.5, 0.5}, false},
		{{0.9, 0.9, 0.5, 0.5}, true},
	};
	const struct ridge_example turned[] = {examples[1], examples[0]};
	struct ridge_model *model = ridge_model_train(examples, 2, 1, 1);
	struct ridge_model *other = ridge_model_train(turned, 2, 1, 1);

	ck_assert_double_gt(value_of(model, 0.9, 0.9), 0);
	ck_assert_double_lt(value_of(model, 0.1, 0.1), 0);
	ck_assert_double_eq_tol(value_of(model, 0.7, 0.8),
				value_of(other, 0.7, 0.8), 1e-9);
	ridge_model_destroy(model);
	ridge_model_destroy(other);
}

/*
 * Two examples at distance 1, gamma 1, C large: alpha is 1 / (1 - 1/e) for
 * both, so that their decision values are 1 and -1, and 0 half-way.
 */
TEST(a_decision_worked_by_hand)
{
	const struct ridge_example examples[] = {
		{{1, 0.5, 0.5, 0.5}, true},
		{{0, 0.5, 0.5, 0.5}, false},
	};
	struct ridge_model *model = ridge_model_train(examples, 2, 1, 1000);

	ck_assert_double_eq_tol(value_of(model, 1, 0.5), 1, 1e-3);
	ck_assert_double_eq_tol(value_of(model, 0, 0.5), -1, 1e-3);
	ck_assert_double_eq_tol(value_of(model, 0.5, 0.5), 0, 1e-3);
	ridge_model_destroy(model);
}

TEST(one_kind_of_ridges_teaches_nothing)
{
	const struct ridge_example examples[2] = {{.is_primary = true},
						  {.is_primary = true}};

	ck_assert_ptr_null(ridge_model_train(examples, 2, 1, 1));
	ck_assert_ptr_null(ridge_model_train(examples, 0, 1, 1));
}

TEST(many_examples_make_a_model_that_is_bounded)
{
	struct ridge_model *model = train(20 * (size_t)MAX_RIDGE_EXAMPLES);

	ck_assert_uint_le(ridge_model_size(model), MAX_RIDGE_EXAMPLES);
	ck_assert_double_gt(value_of(model, 0.9, 0.9), 0);
	ck_assert_double_lt(value_of(model, 0.1, 0.1), 0);
	ridge_model_destroy(model);
}

static void write(const struct ridge_model *model, const char *notes,
		  struct buffer *out)
{
	ridge_model_write(model, slice_of(notes), out);
}

TEST(the_same_examples_give_the_same_model)
{
	struct ridge_model *model = train(EXAMPLES);
	struct ridge_model *again = train(EXAMPLES);
	AUTO_BUFFER text = {0};
	AUTO_BUFFER other = {0};

	write(model, "", &text);
	write(again, "", &other);
	ck_assert(slice_equal(buffer_slice(&text), buffer_slice(&other)));
	ridge_model_destroy(model);
	ridge_model_destroy(again);
}

static void check_same(const struct ridge_model *a, const struct ridge_model *b)
{
	ck_assert_uint_eq(ridge_model_size(a), ridge_model_size(b));
	for (int height = 0; height <= 8; height++)
		for (int width = 0; width <= 8; width++)
			ck_assert_double_eq(
				value_of(a, height / 8.0, width / 8.0),
				value_of(b, height / 8.0, width / 8.0));
}

TEST(a_model_that_is_read_back_decides_the_same)
{
	struct ridge_model *model = train(EXAMPLES);
	struct ridge_model *again = NULL;
	AUTO_BUFFER text = {0};

	write(model, "made of nothing\nC 7\n\nlast", &text);
	ck_assert_ptr_nonnull(strstr(text.data, "\n# C 7\n# \n# last\n"));
	ASSERT_OK(ridge_model_read(&again, buffer_slice(&text)));
	check_same(model, again);
	ridge_model_destroy(model);
	ridge_model_destroy(again);
}

TEST(the_universal_model_is_that_of_the_file)
{
	struct ridge_model *model = NULL;
	AUTO_BUFFER text = {0};

	ASSERT_OK(file_read(MODEL_FILE, 1 << 20, &text));
	ASSERT_OK(ridge_model_read(&model, buffer_slice(&text)));
	check_same(model, ridge_model_universal());
	ridge_model_destroy(model);
}

TEST(features_out_of_range_are_cut_to_it)
{
	const struct ridge_model *model = ridge_model_universal();

	ck_assert_double_eq(value_of(model, 1e300, -1e300),
			    value_of(model, 1, 0));
	ck_assert(isfinite(value_of(model, NAN, INFINITY)));
}

static enum error read(const char *text)
{
	struct ridge_model *model = NULL;
	enum error error = ridge_model_read(&model, slice_of(text));

	ck_assert_int_eq(error == ERR_NONE, model != NULL);
	ridge_model_destroy(model);
	return error;
}

#define HEAD "ridge-model 1\nfeatures height width RP CP\n"
#define BODY "C 1\ngamma 1\nrho 0\nsupports 1\n"

TEST(a_model_of_another_version_is_reported)
{
	ASSERT_OK(read(HEAD BODY "1 0 0 0 0\n"));
	ASSERT_OK(read(HEAD BODY "1 0 0 0 0"));
	ck_assert_int_eq(read("ridge-model 2\n"), ERR_VERSION);
	ck_assert_int_eq(read("ridge-model 1"), ERR_MALFORMED);
	ck_assert_int_eq(read("ridge-model\n"), ERR_MALFORMED);
	ck_assert_int_eq(read(""), ERR_MALFORMED);
}

static const char *const damaged[] = {
	/* vectors: missing, too many, short, long, out of range, no numbers */
	HEAD BODY,
	HEAD BODY "1 0 0 0 0\n1 0 0 0 0\n",
	HEAD BODY "1 0 0 0\n",
	HEAD BODY "1 0 0 0 0 0\n",
	HEAD BODY "1 0 0 0 1.5\n",
	HEAD BODY "1 0 0 0 -0.5\n",
	HEAD BODY "1e7 0 0 0 0\n",
	HEAD BODY "1 0 0 0 nan\n",
	HEAD BODY "inf 0 0 0 0\n",
	HEAD BODY "0x1 0 0 0 0\n",
	HEAD BODY "1e999 0 0 0 0\n",
	HEAD BODY "- 0 0 0 0\n",
	HEAD BODY "1  0 0 0 0\n",
	HEAD BODY "1 0.000000000000000000000000000000 0 0 0\n",
	/* the head */
	HEAD "C 1\ngamma 1\nrho 0\nsupports 0\n",
	HEAD "C 1\ngamma 1\nrho 0\nsupports -1\n",
	HEAD "C 1\ngamma 1\nrho 0\nsupports 1.5\n1 0 0 0 0\n",
	HEAD "C 1\ngamma 1\nrho 0\nsupports 99999999999\n",
	HEAD "C 1\ngamma 1\nrho 1e10\nsupports 1\n1 0 0 0 0\n",
	HEAD "C 1\ngamma 0\nrho 0\nsupports 1\n1 0 0 0 0\n",
	HEAD "C 1\ngamma 1e9\nrho 0\nsupports 1\n1 0 0 0 0\n",
	HEAD "C 0\ngamma 1\nrho 0\nsupports 1\n1 0 0 0 0\n",
	HEAD "gamma 1\nC 1\nrho 0\nsupports 1\n1 0 0 0 0\n",
	"ridge-model 1\nfeatures height width\n" BODY "1 0 0 0 0\n",
	"ridge-model 1\n# no end",
};

TEST_ROWS(a_damaged_model_is_refused, damaged)
{
	ck_assert_int_eq(read(damaged[_i]), ERR_MALFORMED);
}

/* A model of `count` vectors. */
static enum error read_many(int count)
{
	AUTO_BUFFER text = {0};
	enum error error;

	buffer_printf(&text, HEAD "C 1\ngamma 1\nrho 0\nsupports %d\n", count);
	for (int i = 0; i < count; i++)
		buffer_append_text(&text, "1 0 0 0 0\n");
	error = read(text.data);
	return error;
}

TEST(a_model_has_no_more_vectors_than_examples_can_make)
{
	ASSERT_OK(read_many(MAX_RIDGE_EXAMPLES));
	ck_assert_int_eq(read_many(MAX_RIDGE_EXAMPLES + 1), ERR_MALFORMED);
}
