/*
 * daemon/config/config_table.h - the table of the configuration. Internal to
 * the functions of config.h.
 */
#ifndef DAEMON_CONFIG_CONFIG_TABLE_H
#define DAEMON_CONFIG_CONFIG_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/config/config.h"

enum config_type {
	CONFIG_TEXT,      /* length from `minimum` to `maximum` bytes */
	CONFIG_COUNT,     /* a whole number */
	CONFIG_BYTES,     /* with a unit: B, kB, MB, GB, KiB, MiB, GiB */
	CONFIG_TIME,      /* with a unit: ms, s, min, h, d; stored in ms */
	CONFIG_RATIO,     /* 0 to 1; stored in permille */
	CONFIG_THRESHOLD, /* a ratio, or auto: THRESHOLD_AUTO */
	CONFIG_MODE,      /* permission bits, octal */
	CONFIG_CHOICE,    /* one of `words`; stored as its index */
	CONFIG_SETTINGS,  /* parameters of methods; see extract/extractors.h */
	CONFIG_NETWORKS,  /* a list of networks: struct network_list */
	CONFIG_PORTS,     /* a list of ports: struct port_list */
	CONFIG_ADDRESS,   /* a text: TCP listen address, or empty */
};

struct config_row {
	const char *section;
	const char *key;
	enum config_type type;
	bool needs_restart; /* a reload does not change the field */
	size_t offset;      /* of the field in struct config */
	size_t size;        /* of the field: 1, 4 or 8 for a number */
	uint64_t minimum;   /* in the unit of the field */
	uint64_t maximum;
	uint64_t default_value; /* the default of a number */
	const char *text;       /* the default of a text */
	const char *words;   /* values of a choice: "obey|ignore"; default of a
				list: "80|443" */
	const char *meaning; /* English, without a final full stop */
};

/* The table, section by section; a NULL section ends it. */
extern const struct config_row config_rows[];

/* Return a number field of any size. */
uint64_t config_get(const struct config *config, const struct config_row *row);
void config_set(struct config *config, const struct config_row *row,
		uint64_t value);

/* Return a text field. */
char *config_text(struct config *config, const struct config_row *row);

/*
 * Set a field from `text` as in a file; for a list, add one item. If the value
 * is invalid, append the reason to `message`, such as "2 parsecs is not a time
 * (ms, s, min, h, d)", and return false.
 */
bool config_assign(struct config *config, const struct config_row *row,
		   const char *text, struct buffer *message);

/*
 * Check that the TCP listener is protected, which depends on several rows. If
 * not, append the reason to `message` and return false.
 */
bool config_check_listen(const struct config *config, struct buffer *message);

/*
 * Replace the defaults by $STATE_DIRECTORY and $RUNTIME_DIRECTORY if the
 * service manager sets them.
 */
void config_use_folders(struct config *config);

/*
 * Apply the sockets and credentials that the service manager passes. On an
 * error append the reason to `message` and return false.
 */
bool config_use_passed(struct config *config, struct buffer *message);

/*
 * Return whether the field is a list, whose first member is the number of
 * items.
 */
bool config_is_list(const struct config_row *row);

/* Append the value of the field as in a file. */
void config_show(const struct config *config, const struct config_row *row,
		 struct buffer *out);

/* Append a number in the largest unit that gives a whole number: "24 h". */
void config_show_number(const struct config_row *row, uint64_t value,
			struct buffer *out);

/*
 * The units of a type, largest first; a NULL name ends them. NULL for a type
 * without units.
 */
struct config_unit {
	const char *name;
	uint64_t factor;
};

const struct config_unit *config_units(enum config_type type);

#endif
