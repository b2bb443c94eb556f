/*
 * daemon/ctl/ctl_request.h - extraction options that several verbs of
 * templatectl share.
 */
#ifndef DAEMON_CTL_CTL_REQUEST_H
#define DAEMON_CTL_CTL_REQUEST_H

#include <stdbool.h>

#include "base/buffer.h"
#include "daemon/ctl/ctl.h"
#include "daemon/query/answer.h"

/* Rows for the tables of the verbs. */
#define OPTION_FAVOR_ROW                                            \
	{                                                           \
		.name = "favor", .kind = OPTION_CHOICE,             \
		.value = "balance|precision|recall",                \
		.meaning = "what matters more: that all text is "   \
			   "content, or that no content is missing" \
	}
#define OPTION_SCOPE_ROW                                                      \
	{                                                                     \
		.name = "scope", .kind = OPTION_CHOICE, .value = "body|page", \
		.meaning =                                                    \
			"only the article or the post, or the main text of "  \
			"the whole page"                                      \
	}
#define OPTION_WITH_ROW                                                     \
	{                                                                   \
		.name = "with", .kind = OPTION_CHOICE, .value = "comments", \
		.meaning = "also comments of readers"                       \
	}
/* More options of a request; not for the verbs that make a picture. */
#define OPTION_EXTRAS_ROWS                                             \
	{.name = "comments",                                           \
	 .kind = OPTION_FLAG,                                          \
	 .meaning = "comments of readers, in JSON separate from the "  \
		    "text"},                                           \
		{.name = "images",                                     \
		 .kind = OPTION_FLAG,                                  \
		 .meaning = "list the images of the content (JSON)"},  \
		{.name = "links",                                      \
		 .kind = OPTION_FLAG,                                  \
		 .meaning = "list the links of the content (JSON)"},   \
		{.name = "no-tables",                                  \
		 .kind = OPTION_FLAG,                                  \
		 .meaning = "exclude text in data tables"},            \
	{                                                              \
		.name = "front-matter", .kind = OPTION_FLAG,           \
		.meaning = "begin Markdown with the metadata, in YAML" \
	}
#define OPTION_INCLUDE_ROW                                                   \
	{                                                                    \
		.name = "include", .kind = OPTION_TEXT, .value = "SELECTOR", \
		.meaning = "also the text of these elements (CSS); may be"   \
			   " repeated"                                       \
	}
#define OPTION_EXCLUDE_ROW                                                   \
	{                                                                    \
		.name = "exclude", .kind = OPTION_TEXT, .value = "SELECTOR", \
		.meaning = "exclude these elements; overrides --include"     \
	}

/* The request points into the other members and into the command line. */
struct ctl_request {
	struct text_request request;
	const char **parameters; /* ended by NULL */
	struct buffer include;   /* all of --include, separated by commas */
	struct buffer exclude;
};

/*
 * Read --method, --param, --favor, --scope, --with, --include, --exclude and
 * the options of OPTION_EXTRAS_ROWS, as far as the verb has them. If one is
 * wrong, print a message and return false. Always end with ctl_request_free().
 */
bool ctl_request_read(const struct ctl *ctl, struct ctl_request *request_out);
void ctl_request_free(struct ctl_request *request);

/* Append the options to a target of the API that already has a "?". */
void ctl_request_append(const struct ctl_request *asked, struct buffer *target);

#endif
