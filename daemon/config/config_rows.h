/*
 * daemon/config/config_rows.h - the table of the configuration. Internal to the
 * functions of config.h.
 */
#ifndef DAEMON_CONFIG_CONFIG_ROWS_H
#define DAEMON_CONFIG_CONFIG_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/config/config.h"

enum config_type {
	CONFIG_TEXT,     /* up to `maximum` bytes, at least `minimum` */
	CONFIG_COUNT,    /* a whole number */
	CONFIG_BYTES,    /* with a unit: B, kB, MB, GB, KiB, MiB, GiB */
	CONFIG_TIME,     /* with a unit: ms, s, min, h, d; held in ms */
	CONFIG_RATIO,    /* 0 to 1; held in permille */
	CONFIG_CUT,      /* a ratio, or auto: THRESHOLD_AUTO */
	CONFIG_MODE,     /* permission bits, octal */
	CONFIG_CHOICE,   /* one of `words`; held as its index */
	CONFIG_SETTINGS, /* parameters of methods; see extract/settings.h */
	CONFIG_NETWORKS, /* a list of networks: struct network_list */
	CONFIG_PORTS,    /* a list of ports: struct port_list */
	CONFIG_ADDRESS,  /* a text: where to listen for TCP, or empty */
};

struct config_row {
	const char *section;
	const char *key;
	enum config_type type;
	bool needs_restart; /* a reload does not change it */
	size_t offset;      /* of the field in struct config */
	size_t size;        /* of the field: 1, 4 or 8 for a number */
	uint64_t minimum;   /* in the unit that the field has */
	uint64_t maximum;
	uint64_t default_value; /* the default of a number */
	const char *text;       /* the default of a text */
	const char *words;      /* of a choice: "obey|ignore"; the default of a
				   list: "80|443" */
	const char *meaning;    /* English, without a full stop at the end */
};

/* The table, section by section, ended by a NULL section. */
extern const struct config_row config_rows[];

/* A number field, whatever its size. */
uint64_t config_get(const struct config *config, const struct config_row *row);
void config_set(struct config *config, const struct config_row *row,
		uint64_t value);

/* A text field. */
char *config_text(struct config *config, const struct config_row *row);

/*
 * Set a field from `text` as it stands in a file; for a list, add one item.
 * False, with what is wrong with it appended to `message`, such as "2 parsecs
 * is not a time (ms, s, min, h, d)".
 */
bool config_assign(struct config *config, const struct config_row *row,
		   const char *text, struct buffer *message);

/*
 * What no row can tell alone: whether what listens for TCP is guarded. False,
 * with what is wrong appended to `message`.
 */
bool config_check_listen(const struct config *config, struct buffer *message);

/* $STATE_DIRECTORY and $RUNTIME_DIRECTORY, if the service manager names them,
 * in place of the defaults. */
void config_take_folders(struct config *config);

/*
 * Sockets and credentials that the service manager hands over, in place of what
 * is there. False, with what is wrong appended to `message`.
 */
bool config_take_handed(struct config *config, struct buffer *message);

/* Whether the field is a list, which begins with the number of items. */
bool config_is_list(const struct config_row *row);

/* Append the field as it stands in a file. */
void config_show(const struct config *config, const struct config_row *row,
		 struct buffer *out);

/* Append a number in the largest unit that gives a whole one: "24 h". */
void config_show_number(const struct config_row *row, uint64_t value,
			struct buffer *out);

/* The units of a type, largest first, ended by a NULL name; NULL: none. */
struct config_unit {
	const char *name;
	uint64_t factor;
};

const struct config_unit *config_units(enum config_type type);

#endif
