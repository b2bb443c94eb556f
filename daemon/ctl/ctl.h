/*
 * daemon/ctl/ctl.h - templatectl: a table of verbs and their actions, each with
 * its options, its request and the columns of its result. The parser, its error
 * texts, --help, the shell completions and the manual's reference come from the
 * rows; so does the code of an action that is one request.
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
	OPTION_CHOICE,         /* `value` lists the words: "txt|json|html" */
	OPTION_WHOLE,          /* a whole number in [minimum, maximum] */
	OPTION_AUTO_THRESHOLD, /* a decimal number in [0, 1], or "auto" */
};

/* A row of a table of options, which ends with a NULL name. */
struct verb_option {
	const char *name; /* without "--" */
	char letter;      /* the same after one "-"; 0: none */
	enum ctl_option_kind kind;
	const char *value;  /* name of the value in the usage */
	const char *member; /* of the query or the body; NULL: not sent */
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

/* A list in a result, and the columns of its rows (table_print_rows()). */
struct result_table {
	const char *member;
	const char *columns;
};

enum result_kind {
	RESULT_OBJECT, /* lines "name value", then the tables that have rows */
	RESULT_ROWS,   /* the first table */
	RESULT_BYTES,  /* unchanged */
	RESULT_SILENT, /* nothing for people */
	RESULT_NONE,
};

/* Seconds without any received byte. */
enum {
	DEFAULT_TIMEOUT_S = 30,
	DENDROGRAM_TIMEOUT_S = 600, /* of many pages */
	UNLIMITED_S = -1,
};

/* One form of a verb, and the request that it is. */
struct verb_action {
	/*
	 * Its word and its operands: "show HOST", "DIR|FILE...". "|" separates
	 * the choices of an operand. Capitals stand for values (completion.h),
	 * other words for themselves.
	 */
	const char *usage;
	const char *summary; /* NULL: the verb's */
	const struct verb_option *options;
	/*
	 * "METHOD TARGET"; %x takes the next operand: %s as text, %n a number,
	 * %h HOST, %t HOST/N as HOST/templates/N, %c HOST[/N], whose N is the
	 * member "cluster", %g a guard by number or name, %o a node, or the
	 * responding one.
	 */
	const char *request;
	const char *member; /* of the body: a further operand; "#": a number */
	int timeout_s;      /* 0: DEFAULT_TIMEOUT_S */
	enum result_kind result;
	struct result_table tables[3];
	void (*arrange)(json_t *answer); /* before it is printed for people */
	/* NULL: send the request for each operand, and print the results. */
	enum ctl_status (*run)(const struct ctl *ctl);
};

struct verb {
	const char *name;
	enum verb_group group;
	const char *summary;
	const struct verb_action *actions; /* ended by a NULL usage */
	const char *example;               /* arguments; or NULL */
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
	const struct verb *verb;
	const struct verb_action *action;
	const char *socket;
	bool is_json;
	bool has_roles; /* the program can run as another role:
			   daemon/privsep/spawner_client.h */
	const char *
		*operands; /* [operand_count], after the action, then NULL */
	size_t operand_count;
	struct option_value *values; /* [value_count], unparsed */
	size_t value_count;
	struct ctl_warnings *told;
};

/* The table of verbs, ended by a NULL name (verbs.c). */
extern const struct verb verbs[];

/* Options of every verb; a verb's own have precedence. */
extern const struct verb_option global_options[];

/* Return NULL if there is none. `name` [length] is without "--". */
const struct verb *verb_find(const char *name);
const struct verb_option *option_find(const struct verb_option *options,
				      const char *name, size_t length);
/* Return the option of the argument "--NAME", "--NAME=VALUE" or "-X". */
const struct verb_option *option_named(const struct verb_option *options,
				       const char *argument);
/* The same, of any action of the verb. */
const struct verb_option *verb_option_named(const struct verb *verb,
					    const char *argument);

/*
 * Run the command line `arguments` [count] (without the program's name).
 * Messages go to standard error, results to standard output, which is flushed
 * and checked. With `has_roles` (struct ctl), call it before you start a
 * thread.
 */
enum ctl_status ctl_run(size_t count, const char *const *arguments,
			bool has_roles);

/* Return the value of the last `--name`; NULL if it was not given. */
const char *option_text(const struct ctl *ctl, const char *name);
bool option_given(const struct ctl *ctl, const char *name);
uint64_t option_whole(const struct ctl *ctl, const char *name,
		      uint64_t default_value);
/* Return the value in permille, or THRESHOLD_AUTO. */
unsigned option_threshold(const struct ctl *ctl, const char *name,
			  unsigned default_value);

/*
 * Write a file by file_write() or file_replace(); on failure print a message
 * and return false.
 */
bool ctl_write_file(const struct ctl *ctl, const char *path, struct slice bytes,
		    enum error (*write_file)(const char *path,
					     struct slice bytes));

/* Print "templatectl VERB: ..." on standard error, on one line, cleaned. */
void ctl_print_error(const struct ctl *ctl, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The code of the actions that are more than a request, by file. */

typedef enum ctl_status action_code(const struct ctl *ctl);

/* completion.c */
extern action_code run_completion_script;
extern action_code run_completion_table;
extern action_code run_completion_words;
/* ctl_admin.c */
extern action_code run_token_add;
extern action_code run_ui;
void node_arrange(json_t *answer);
void status_arrange(json_t *answer);
/* ctl_event.c */
extern action_code run_event_list;
extern action_code run_hook_add;
/* ctl_extract.c */
extern action_code run_apply;
extern action_code run_batch;
extern action_code run_explain;
extern action_code run_extract;
extern action_code run_features;
extern action_code run_methods;
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
/* ctl_site.c */
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
extern action_code run_template_show;
extern action_code run_text;
void guard_arrange(json_t *answer);
/* ctl_train.c */
extern action_code run_train;

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
 * Parse the usage of an action: "DIR|FILE..." is one or more operands with two
 * choices. All results point into the usage.
 */

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

/* Return whether these operands [count] may begin a command of the form. */
bool usage_begins(struct slice form, const char *const *operands, size_t count);

/* Return whether they are complete for the form. */
bool usage_fits(struct slice form, const char *const *operands, size_t count);

/* Return whether a choice is literal: "add", but not "HOST" or "-". */
bool usage_is_literal(struct slice choice);

/* The verbs and options of templatectl as JSON. */

/*
 * Return {"program", "version", "options": [OPTION...], "groups": [{"title",
 * "verbs": [VERB...]}...]}: the verbs in the order of --help. VERB is {"name",
 * "summary", "usages": [TEXT...], "options": [OPTION...], "actions":
 * [{"usage", "summary", "request", "options": [OPTION...]}...]}; its options
 * are those of all actions. OPTION is {"name", "letter", "kind", "value",
 * "choices", "minimum", "maximum", "member", "meaning"}; all except name, kind
 * and meaning may be null, and `choices` is null if there are values other than
 * words. json_decref() it.
 */
json_t *verb_table_json(void);

#endif
