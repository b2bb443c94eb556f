/*
 * daemon/ctl/ctl.h - templatectl: a table of verbs and their actions. The row
 * of an action has its options, its request and the columns of its result. The
 * rows define the parser, its error messages, --help, the shell completions and
 * the reference in the manual. An action that is one request needs no other
 * code.
 */
#ifndef DAEMON_CTL_CTL_H
#define DAEMON_CTL_CTL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

struct ctl;

#define DEFAULT_SOCKET "/run/templated/templated.sock"

/* Exit statuses. */
enum ctl_status { CTL_DONE, CTL_FAILED, CTL_USAGE, CTL_NO_DAEMON, CTL_PARTLY };

enum ctl_option_kind {
	OPTION_FLAG,
	OPTION_TEXT,
	OPTION_CHOICE,         /* one of the words in `value`, such as
				  "txt|json|html" */
	OPTION_WHOLE,          /* a whole number in [minimum, maximum] */
	OPTION_AUTO_THRESHOLD, /* a decimal number in [0, 1], or "auto" */
};

/* A row in a table of options. The last row of a table has a NULL name. */
struct verb_option {
	const char *name; /* name, without "--" */
	char letter;      /* short form, without "-"; 0 = none */
	enum ctl_option_kind kind;
	const char *value;  /* placeholder of the value in the usage */
	const char *member; /* member of the query or the body; NULL = the
			       option is not sent */
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

/*
 * A list in a result, and the columns of the table that shows it
 * (table_print_rows()).
 */
struct result_table {
	const char *member;
	const char *columns;
};

enum result_kind {
	RESULT_OBJECT, /* print lines "name value", then the tables that have
			  rows */
	RESULT_ROWS,   /* print the first table */
	RESULT_BYTES,  /* print the bytes unchanged */
	RESULT_SILENT, /* print nothing, except with --json */
	RESULT_NONE,
};

/* Timeouts: seconds in which no byte is received. */
enum {
	DEFAULT_TIMEOUT_S = 30,
	DENDROGRAM_TIMEOUT_S = 600, /* for many pages */
	UNLIMITED_S = -1,
};

/* One form of a verb, and the request that it sends. */
struct verb_action {
	/*
	 * The word of the action and its operands: "show HOST", "DIR|FILE...".
	 * A "|" separates the alternatives of an operand. Words in capitals are
	 * placeholders for values (completion.h); other words must be typed as
	 * they are.
	 */
	const char *usage;
	const char *summary; /* NULL = the summary of the verb */
	const struct verb_option *options;
	/*
	 * "METHOD TARGET". In the target, % and a letter stand for the next
	 * operand: %s a text, %n a number, %h HOST, %t HOST/N (sent as
	 * HOST/templates/N), %c HOST[/N] (N is sent as the member "cluster" of
	 * the body), %g the number or the name of a guard, %o the name of a
	 * node, or of the responding node if there is no operand.
	 */
	const char *request;
	const char *member; /* member of the body for a further operand; "#"
			       before the name: it is a number */
	int timeout_s;      /* 0 = DEFAULT_TIMEOUT_S */
	enum result_kind result;
	struct result_table tables[3];
	void (*arrange)(json_t *answer); /* changes the result before it is
					    printed, except with --json; or
					    NULL */
	/* NULL = action_run() */
	enum ctl_status (*run)(const struct ctl *ctl);
};

struct verb {
	const char *name;
	enum verb_group group;
	const char *summary;
	const struct verb_action *actions; /* the last one has a NULL usage */
	const char *example;               /* arguments of an example; or
					      NULL */
};

struct option_value {
	const struct verb_option *option;
	const char *text; /* NULL for a flag */
};

/*
 * Warnings that a command has printed. It prints each only once, however many
 * requests it sends.
 */
struct ctl_warnings {
	bool of_missing; /* nodes that did not respond */
	bool of_stale;   /* a response that may be out of date */
};

/* A parsed command line; its pointers point into the arguments. */
struct ctl {
	const struct verb *verb;
	const struct verb_action *action;
	const char *socket;
	bool is_json;
	bool has_roles;        /* the program can be executed again as a worker:
				  daemon/privsep/spawner_client.h */
	const char **operands; /* [operand_count], without the action; NULL
				  follows the last one */
	size_t operand_count;
	struct option_value *values; /* [value_count], in the order of the
					command line */
	size_t value_count;
	struct ctl_warnings *told;
};

/* The table of verbs; the last row has a NULL name (verbs.c). */
extern const struct verb verbs[];

/*
 * The options of every verb. If a verb has an option with the same name, that
 * one is used.
 */
extern const struct verb_option global_options[];

/*
 * verb_find(): return the verb with this name, or NULL. option_find(): return
 * the option with the name `name` [length], without "--", or NULL.
 */
const struct verb *verb_find(const char *name);
const struct verb_option *option_find(const struct verb_option *options,
				      const char *name, size_t length);
/*
 * Return the option of the argument "--NAME", "--NAME=VALUE" or "-X"; NULL if
 * the table does not have it.
 */
const struct verb_option *option_named(const struct verb_option *options,
				       const char *argument);
/* Do the same as option_named() with the options of all actions of the verb. */
const struct verb_option *verb_option_named(const struct verb *verb,
					    const char *argument);

/*
 * Run the command line `arguments` [count], without the name of the program.
 * Print results on standard output, which is flushed and checked, and messages
 * on standard error. If `has_roles` is true (struct ctl), call it before the
 * process starts a thread.
 */
enum ctl_status ctl_run(size_t count, const char *const *arguments,
			bool has_roles);

/*
 * Return the value of the last option `--name`; NULL if there is none. A flag
 * has the value "".
 */
const char *option_text(const struct ctl *ctl, const char *name);
bool option_given(const struct ctl *ctl, const char *name);
uint64_t option_whole(const struct ctl *ctl, const char *name,
		      uint64_t default_value);
/* Return the value of the option in thousandths, or THRESHOLD_AUTO. */
unsigned option_threshold(const struct ctl *ctl, const char *name,
			  unsigned default_value);

/*
 * Write a file with `write_file`, which is file_write() or file_replace(). On
 * failure print an error and return false.
 */
bool ctl_write_file(const struct ctl *ctl, const char *path, struct slice bytes,
		    enum error (*write_file)(const char *path,
					     struct slice bytes));

/*
 * Print "templatectl VERB: ..." on standard error, as one line without control
 * characters.
 */
void ctl_print_error(const struct ctl *ctl, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The functions of the actions that are more than one request, by file. */

typedef enum ctl_status action_code(const struct ctl *ctl);

/* completion.c */
extern action_code run_completion_script;
extern action_code run_completion_table;
extern action_code run_completion_words;
/* ctl_admin.c */
extern action_code run_feed_add;
extern action_code run_status;
extern action_code run_token_add;
extern action_code run_ui;
void node_arrange(json_t *answer);
void status_arrange(json_t *answer);
/* ctl_event.c */
extern action_code run_event_list;
extern action_code run_hook_add;
extern action_code run_hook_test;
void hook_forms_arrange(json_t *answer);
/* ctl_extract.c */
extern action_code run_apply;
extern action_code run_batch;
extern action_code run_explain;
extern action_code run_extract;
extern action_code run_features;
extern action_code run_methods;
/* ctl_field.c */
extern action_code run_field_add;
extern action_code run_field_find;
extern action_code run_field_set;
extern action_code run_records;
void field_arrange(json_t *answer);
/* ctl_group.c */
extern action_code run_cluster;
/* ctl_page.c */
extern action_code run_ingest;
extern action_code run_texts;
/* ctl_partition.c */
extern action_code run_partition_export;
extern action_code run_partition_import;
extern action_code run_partition_list;
extern action_code run_partition_migrate;
/* ctl_render.c */
extern action_code run_render;
/* ctl_site.c */
extern action_code run_site_export;
extern action_code run_site_import;
extern action_code run_site_list;
extern action_code run_site_report;
extern action_code run_site_show;
extern action_code run_site_thresholds;
extern action_code run_watch;
/* ctl_store.c */
extern action_code run_backup;
extern action_code run_compact;
extern action_code run_recover;
extern action_code run_restore;
extern action_code run_verify;
/* ctl_template.c */
#define GUARD_COLUMNS                                                      \
	"ID#=id, NAME=name, STATE=state, PAGES#=pages, FAILING#=failing, " \
	"EXPECT=expect, TEMPLATE=cluster, SELECTOR~=selector"
extern action_code run_export;
extern action_code run_guard_list;
extern action_code run_page_changes;
extern action_code run_template_show;
extern action_code run_text;
void guard_arrange(json_t *answer);
void incident_arrange(json_t *answer);
void template_arrange(json_t *answer);
/* ctl_train.c */
extern action_code run_train;

/* Suggesting the known name that is most similar to an unknown word. */

/* Initialize with {.word = WORD}. */
struct name_suggestion {
	const char *word;
	const char *name;  /* the most similar name; or NULL */
	unsigned distance; /* edits between word and name; undefined if
			      `name` is NULL */
};

/*
 * Compare the word with `name`, and store `name` if it is more similar than the
 * stored one. `name` must outlive `nearest`. A name is similar if it begins
 * with the word (two letters or more), or differs by at most one typing error
 * per three letters. A typing error is a letter that is changed, missing,
 * added, or exchanged with the next one.
 */
void suggest_name(struct name_suggestion *nearest, const char *name);

/*
 * Parsing the usage of an action. For example, "DIR|FILE..." means one or more
 * operands with two alternatives each. All results point into the usage.
 */

/*
 * Return in *word_out the word of the usage `form` at `position` (from 0),
 * without "[ ]" and "...". If the last word ends with "...", it is also the
 * word of all further positions. Return false if there is no word at this
 * position.
 */
bool usage_word(struct slice form, size_t position, struct slice *word_out);

/*
 * Remove the first alternative from a word such as "DIR|FILE". Return false if
 * there are no more.
 */
bool usage_take_choice(struct slice *word, struct slice *choice_out);

/*
 * Return whether the operand is allowed for the word: an alternative of the
 * word is a placeholder, or equals the operand.
 */
bool usage_allows(struct slice word, const char *operand);

/*
 * Return whether a command with this usage may begin with these operands
 * [count].
 */
bool usage_begins(struct slice form, const char *const *operands, size_t count);

/* Return whether these operands are a complete command with this usage. */
bool usage_fits(struct slice form, const char *const *operands, size_t count);

/*
 * Return whether an alternative must be typed as it is, as "add", but not
 * "HOST" or "-".
 */
bool usage_is_literal(struct slice choice);

/* The verbs and options of templatectl as JSON. */

/*
 * Return {"program", "version", "options": [OPTION...], "groups": [{"title",
 * "verbs": [VERB...]}...]}: the verbs in the order of --help. VERB is {"name",
 * "summary", "usages": [TEXT...], "options": [OPTION...], "actions": [{"usage",
 * "summary", "request", "options": [OPTION...]}...]}; its options are those of
 * all actions. OPTION is {"name", "letter", "kind", "value", "choices",
 * "minimum", "maximum", "member", "meaning"}; all except name, kind and meaning
 * may be null; `choices` is null unless the values are a list of words. The
 * caller frees the result with json_decref().
 */
json_t *verb_table_json(void);

#endif
