/*
 * daemon/ctl/ctl.h - templatectl: a table of verbs, each with a table of
 * options. The parser, its error texts, --help and the shell completions come
 * from the rows.
 */
#ifndef DAEMON_CTL_CTL_H
#define DAEMON_CTL_CTL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cluster/signature.h"

struct ctl;

#define DEFAULT_SOCKET "/run/templated/templated.sock"

/* Exit statuses. */
enum ctl_status { CTL_DONE, CTL_FAILED, CTL_USAGE, CTL_NO_DAEMON, CTL_PARTLY };

enum ctl_option_kind {
	OPTION_FLAG,
	OPTION_TEXT,
	OPTION_CHOICE,         /* `value` lists the words: "txt|json|html" */
	OPTION_WHOLE,          /* a whole number in [minimum, maximum] */
	OPTION_AUTO_THRESHOLD, /* a decimal number in [0, 1], or "auto" */
};

struct verb_option {
	const char *name; /* without "--" */
	char letter;      /* the same after one "-"; 0: none */
	enum ctl_option_kind kind;
	const char *value; /* name of the value in the usage */
	const char *meaning;
	uint64_t minimum;
	uint64_t maximum;
};

/* Groups of verbs, in the order of --help. */
enum verb_group {
	VERBS_WATCH,
	VERBS_READ,
	VERBS_CRAWL,
	VERBS_LOOK,
	VERBS_OPERATE,
	VERB_GROUP_COUNT
};

/* Return the heading of the group in --help. */
const char *verb_group_title(enum verb_group group);

struct verb {
	const char *name;
	enum verb_group group;
	/*
	 * As in the usage: "URL", "DIR|FILE..."; " | " separates forms of the
	 * command, "|" the choices of an operand. Capitals stand for values
	 * (completion.h), other words for themselves.
	 */
	const char *operands;
	size_t min_operands;
	size_t max_operands;
	const char *summary;
	const struct verb_option *options; /* ended by a NULL name; or NULL */
	enum ctl_status (*run)(const struct ctl *ctl);
};

struct option_value {
	const struct verb_option *option;
	const char *text; /* checked against the kind; NULL for a flag */
};

/* Warnings that one command prints once, however many requests it sends. */
struct ctl_warnings {
	bool of_missing; /* nodes did not respond */
	bool of_stale;   /* the response may be stale */
};

/* A parsed command line; points into argv. */
struct ctl {
	const struct verb *const *verbs; /* all verbs, ended by NULL */
	const struct verb *verb;
	const char *socket;
	bool is_json;
	bool has_roles;        /* the program can run as another role:
				  daemon/privsep/spawner_client.h */
	const char **operands; /* [operand_count] */
	size_t operand_count;
	struct option_value *values; /* [value_count], unparsed */
	size_t value_count;
	struct ctl_warnings *told;
};

/* Rows that several verbs share. */
#define OPTION_METHOD_ROW                                                 \
	{                                                                 \
		.name = "method", .kind = OPTION_TEXT, .value = "METHOD", \
		.meaning = "auto (default), or one of "                   \
			   "`templatectl methods`"                        \
	}
#define OPTION_PARAM_ROW                                                     \
	{                                                                    \
		.name = "param", .kind = OPTION_TEXT, .value = "NAME=VALUE", \
		.meaning = "a parameter of the method; may be repeated"      \
	}
#define OPTION_FORMAT_ROW                                \
	{                                                \
		.name = "format", .kind = OPTION_CHOICE, \
		.value = "txt|md|json|html|xml|explain", \
		.meaning = "default: txt"                \
	}
#define OPTION_MEASURE_ROW                                         \
	{                                                          \
		.name = "measure", .kind = OPTION_CHOICE,          \
		.value = "cp|cps|ctss|cpc|ccs|cas",                \
		.meaning = "how pages are compared (default: cas)" \
	}
#define OPTION_THRESHOLD_ROW                                           \
	{                                                              \
		.name = "threshold", .kind = OPTION_AUTO_THRESHOLD,    \
		.value = "T|auto",                                     \
		.meaning = "largest distance of linked pages, 0 to 1;" \
			   " auto: chosen from the pages (default)"    \
	}
#define OPTION_WIDTH_ROW                                                     \
	{                                                                    \
		.name = "shingle-width", .kind = OPTION_WHOLE, .value = "K", \
		.minimum = 1, .maximum = SIGNATURE_MAX_WIDTH,                \
		.meaning = "tags per shingle (default: cps 4, ctss 5, ccs "  \
			   "and cas 2)"                                      \
	}

/* Options of every verb, ended by a NULL name; a verb's own have precedence. */
extern const struct verb_option global_options[];

/* Return NULL if there is none. `name` [length] is without "--". */
const struct verb *verb_find(const struct verb *const *verbs, const char *name);
const struct verb_option *option_find(const struct verb_option *options,
				      const char *name, size_t length);
/* Return the option of the argument "--NAME", "--NAME=VALUE" or "-X". */
const struct verb_option *option_named(const struct verb_option *options,
				       const char *argument);

/*
 * Run the command line `arguments` [count] (without the program's name) by the
 * table `verbs`, ended by NULL. Messages go to standard error, results to
 * standard output, which is flushed and checked.
 */
enum ctl_status ctl_run(const struct verb *const *verbs, size_t count,
			const char *const *arguments);

/*
 * Like ctl_run(), for a program that can run as another role (struct ctl). Call
 * it before you start a thread.
 */
enum ctl_status ctl_run_with_roles(const struct verb *const *verbs,
				   size_t count, const char *const *arguments);

/* Return the value of the last `--name`; NULL if it was not given. */
const char *option_text(const struct ctl *ctl, const char *name);
bool option_given(const struct ctl *ctl, const char *name);
uint64_t option_whole(const struct ctl *ctl, const char *name,
		      uint64_t default_value);
/* Return the value in permille, or THRESHOLD_AUTO. */
unsigned option_threshold(const struct ctl *ctl, const char *name,
			  unsigned default_value);

/* Print "templatectl VERB: ..." on standard error, on one line, cleaned. */
void ctl_print_error(const struct ctl *ctl, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The verbs, by file. */
/* client.c */
extern const struct verb verb_status;
extern const struct verb verb_verify;
/* completion.c */
extern const struct verb verb_completion;
/* ctl_admin.c */
extern const struct verb verb_ui;
extern const struct verb verb_token;
extern const struct verb verb_node;
/* ctl_event.c */
extern const struct verb verb_event;
extern const struct verb verb_hook;
extern const struct verb verb_silence;
/* ctl_extract.c */
extern const struct verb verb_apply;
extern const struct verb verb_extract;
extern const struct verb verb_methods;
extern const struct verb verb_features;
extern const struct verb verb_explain;
extern const struct verb verb_batch;
/* ctl_group.c */
extern const struct verb verb_cluster;
/* ctl_page.c */
extern const struct verb verb_page;
extern const struct verb verb_quarantine;
extern const struct verb verb_texts;
extern const struct verb verb_ingest;
/* ctl_partition.c */
extern const struct verb verb_partition;
/* ctl_site.c */
extern const struct verb verb_watch;
extern const struct verb verb_site;
/* ctl_store.c */
extern const struct verb verb_backup;
extern const struct verb verb_restore;
extern const struct verb verb_recover;
extern const struct verb verb_compact;
/* ctl_template.c */
extern const struct verb verb_guard;
extern const struct verb verb_text;
extern const struct verb verb_template;
extern const struct verb verb_export;
/* ctl_train.c */
extern const struct verb verb_train;

/* Suggest the known name that is nearest to an unknown word. */

/* Begin with {.word = WORD}. */
struct name_suggestion {
	const char *word;
	const char *name;  /* the nearest name; or NULL */
	unsigned distance; /* between word and name; undefined without one */
};

/*
 * Compare the word with `name`, which must outlive `nearest`; on a tie the
 * earlier name wins. A name is near if it begins with the word (two letters or
 * more), or differs by at most one typing error per three letters: a letter
 * changed, missing, added, or exchanged with the next.
 */
void suggest_name(struct name_suggestion *nearest, const char *name);

/*
 * Parse the operands in a verb's usage: "add HOST[/N] | list [HOST]" has two
 * forms; "DIR|FILE..." is one or more operands with two choices. All results
 * point into the usage.
 */

/* The remaining forms; `rest` is NULL at the end. */
struct usage_forms {
	const char *rest;
};

/* Return the forms of `operands`, at least one; the form of "" is empty. */
struct usage_forms usage_forms_of(const char *operands);
bool usage_forms_next(struct usage_forms *forms, struct slice *form_out);

/*
 * Return the word at `position` (from 0) of a form, without "[ ]" and "...". If
 * the last word ends with "...", it has all further positions. False: no word.
 */
bool usage_word(struct slice form, size_t position, struct slice *word_out);

/* Remove the first choice from "DIR|FILE"; false if none remains. */
bool usage_take_choice(struct slice *word, struct slice *choice_out);

/*
 * Return whether the operand may stand for the word: the word is a placeholder,
 * or equals the operand.
 */
bool usage_allows(struct slice word, const char *operand);

/* Return whether these operands [count] are complete for the form. */
bool usage_fits(struct slice form, const char *const *operands, size_t count);

/* Return whether a choice is literal: "add", but not "HOST" or "-". */
bool usage_is_literal(struct slice choice);

/* The verbs and options of templatectl as JSON. */

/*
 * Return {"program", "version", "options": [OPTION...], "groups": [{"title",
 * "verbs": [VERB...]}...]}: the verbs (ended by NULL) in the order of --help.
 * VERB is {"name", "summary", "usages": [FORM...], "operands": {"minimum",
 * "maximum"}, "options": [OPTION...]}. A FORM is the operands of a usage; the
 * maximum is null if unlimited. OPTION is {"name", "letter", "kind", "value",
 * "choices", "minimum", "maximum", "meaning"}; all except name, kind and
 * meaning may be null, and `choices` is null if there are values other than
 * words. json_decref() it.
 */
json_t *verb_table_json(const struct verb *const *verbs);

#endif
