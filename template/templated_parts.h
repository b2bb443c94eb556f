/*
 * template/templated_parts.h - functions shared by the sources of libtemplated.
 */
#ifndef TEMPLATE_TEMPLATED_PARTS_H
#define TEMPLATE_TEMPLATED_PARTS_H

#include <locale.h>
#include <stdbool.h>

#include "base/error.h"
#include "crawl/url.h"
#include "template/bundle.h"
#include "template/templated.h"
#include "template/text_answer.h"

struct templated_bundle {
	struct bundle *bundle;
	locale_t locale; /* "C": numbers have decimal points */
	char *description;
};

/* A page and its parsed URL. */
struct templated_page_input {
	struct url url;
	struct text_request request;
};

/* Prepare a page; if its URL is invalid, set the error and return false. */
bool templated_prepare_page(const struct templated_page *page,
			    struct templated_page_input *placed,
			    struct templated_error *error_out);

/* Return the locale "C"; free it with freelocale(). */
locale_t templated_locale(void);

/* Fill in the error, unless error_out is NULL. */
void templated_set_error(struct templated_error *error_out, enum error error,
			 const char *message);

#endif
