/* extract/methods/ridge_text.c - ridge models as text:
 *
 *	ridge-model 1
 *	# any number of notes
 *	features height width RP CP
 *	C 3
 *	gamma 1
 *	rho -0.25
 *	supports 2
 *	3 0.5 0.25 1 0.125        the coefficient, then the features
 *	-3 0.1 0.25 0.5 0.75
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "extract/methods/ridge_svm.h"

#define MAGIC    "ridge-model"
#define VERSION  1
#define FEATURES "features height width RP CP"
#define MAX_RHO  (RIDGE_COST_MAX * MAX_RIDGE_EXAMPLES)

static void write_notes(struct slice notes, struct buffer *out)
{
	const char *text = notes.data;
	size_t at = 0;

	while (at < notes.size) {
		const char *end = memchr(text + at, '\n', notes.size - at);
		size_t size = end == NULL ? notes.size - at
					  : (size_t)(end - text) - at;

		buffer_append_text(out, "# ");
		buffer_append(out, text + at, size);
		buffer_append_byte(out, '\n');
		at += size + 1;
	}
}

void ridge_model_write(const struct ridge_model *model, struct slice notes,
		       struct buffer *out)
{
	buffer_printf(out, "%s %d\n", MAGIC, VERSION);
	write_notes(notes, out);
	buffer_printf(out, FEATURES "\nC %.17g\ngamma %.17g\nrho %.17g\n",
		      model->svm.param.C, model->svm.param.gamma, model->rho);
	buffer_printf(out, "supports %d\n", model->svm.l);
	for (int i = 0; i < model->svm.l; i++) {
		buffer_printf(out, "%.17g", model->coefficients[i]);
		for (int k = 0; k < RIDGE_FEATURES; k++)
			buffer_printf(out, " %.4g",
				      model->vectors[i].nodes[k].value);
		buffer_append_byte(out, '\n');
	}
}

/* Cut off the next part of `rest`, up to `separator` or the end. */
static struct slice model_text_next(struct slice *rest, char separator)
{
	const char *text = rest->data;
	size_t size = 0;
	size_t used;

	while (size < rest->size && text[size] != separator)
		size++;
	used = size < rest->size ? size + 1 : size;
	*rest = (struct slice){used == 0 ? text : text + used,
			       rest->size - used};
	return (struct slice){text, size};
}

/*
 * Read a decimal number in [minimum, maximum]; reject the other formats of
 * strtod().
 */
static bool model_read_number(struct slice word, double minimum, double maximum,
			      double *number_out)
{
	char text[32];
	char *end;

	if (word.size == 0 || word.size >= sizeof(text))
		return false;
	memcpy(text, word.data, word.size);
	text[word.size] = '\0';
	if (strspn(text, "0123456789+-.e") != word.size)
		return false;
	*number_out = strtod(text, &end);
	return *end == '\0' && *number_out >= minimum && *number_out <= maximum;
}

/* Read the line "NAME NUMBER". */
static bool model_read_field(struct slice *rest, const char *name,
			     double minimum, double maximum, double *number_out)
{
	struct slice line = model_text_next(rest, '\n');

	return slice_equal(model_text_next(&line, ' '), slice_of(name)) &&
	       model_read_number(line, minimum, maximum, number_out);
}

static void skip_notes(struct slice *rest)
{
	while (rest->size > 0 && *(const char *)rest->data == '#')
		model_text_next(rest, '\n');
}

static bool read_vector(struct slice line, double *coefficient_out,
			struct ridge_vector *vector_out)
{
	double features[RIDGE_FEATURES];

	if (!model_read_number(model_text_next(&line, ' '), -RIDGE_COST_MAX,
			       RIDGE_COST_MAX, coefficient_out))
		return false;
	for (int i = 0; i < RIDGE_FEATURES; i++)
		if (!model_read_number(model_text_next(&line, ' '), 0, 1,
				       &features[i]))
			return false;
	*vector_out = ridge_vector_of(features);
	return line.size == 0;
}

static bool read_vectors(struct ridge_model *model, struct slice rest)
{
	for (int i = 0; i < model->svm.l; i++)
		if (!read_vector(model_text_next(&rest, '\n'),
				 &model->coefficients[i], &model->vectors[i]))
			return false;
	return rest.size == 0;
}

enum error ridge_model_read(struct ridge_model **model_out, struct slice text)
{
	struct ridge_model *model;
	double version;
	double cost;
	double gamma;
	double rho;
	double count;

	if (!model_read_field(&text, MAGIC, 0, 1e9, &version))
		return ERR_MALFORMED;
	if (version != VERSION)
		return ERR_VERSION;
	skip_notes(&text);
	if (!slice_equal(model_text_next(&text, '\n'), slice_of(FEATURES)) ||
	    !model_read_field(&text, "C", RIDGE_COST_MIN, RIDGE_COST_MAX,
			      &cost) ||
	    !model_read_field(&text, "gamma", RIDGE_GAMMA_MIN, RIDGE_GAMMA_MAX,
			      &gamma) ||
	    !model_read_field(&text, "rho", -MAX_RHO, MAX_RHO, &rho) ||
	    !model_read_field(&text, "supports", 1, MAX_RIDGE_EXAMPLES,
			      &count) ||
	    count != floor(count))
		return ERR_MALFORMED;
	model = ridge_model_create((size_t)count);
	model->svm.param.C = cost;
	model->svm.param.gamma = gamma;
	model->rho = rho;
	if (!read_vectors(model, text)) {
		ridge_model_destroy(model);
		return ERR_MALFORMED;
	}
	*model_out = model;
	return ERR_NONE;
}
