/*
 * daemon/config/config_table.h - the table of the configuration. Internal to
 * daemon/config.
 */
#ifndef DAEMON_CONFIG_CONFIG_TABLE_H
#define DAEMON_CONFIG_CONFIG_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/config/config.h"

enum config_type {
	CONFIG_TEXT,  /* a text of `minimum` to `maximum` bytes */
	CONFIG_COUNT, /* a whole number */
	CONFIG_BYTES, /* a size with a unit: B, kB, MB, GB, KiB, MiB, GiB */
	/* a time with a unit: ms, s, min, h, d; stored in ms */
	CONFIG_TIME,
	CONFIG_RATIO, /* a number from 0 to 1; stored in permille */
	/* a ratio, or "auto", which is stored as THRESHOLD_AUTO */
	CONFIG_THRESHOLD,
	CONFIG_MODE, /* permission bits in octal */
	/* one of the values in `words`; stored as its index */
	CONFIG_CHOICE,
	/* options of extraction methods; see extract/extractors.h */
	CONFIG_SETTINGS,
	/* a list of networks; stored as struct network_list */
	CONFIG_NETWORKS,
	CONFIG_PORTS, /* a list of ports; stored as struct port_list */
	/* an address for listening on TCP, or an empty text */
	CONFIG_ADDRESS,
};

struct config_row {
	const char *section;
	const char *key;
	enum config_type type;
	bool needs_restart; /* only a restart changes the field, not a reload */
	size_t offset;      /* offset of the field in struct config */
	size_t size;        /* size of the field; 1, 4 or 8 for a number */
	uint64_t minimum;   /* smallest value, in the unit of the field */
	uint64_t maximum;
	uint64_t default_value; /* default if the field is a number */
	const char *text;       /* default if the field is a text */
	/*
	 * CONFIG_CHOICE: the values, such as "obey|ignore"; a list: its
	 * default, such as "80|443"
	 */
	const char *words;
	/* description in English, without a final full stop */
	const char *meaning;
};

/*
 * The rows of the table, section by section. After the last one comes a row
 * whose section is NULL.
 */
extern const struct config_row config_rows[];

/*
 * config_get() returns the value of a number field of any size; config_set()
 * sets it.
 */
uint64_t config_get(const struct config *config, const struct config_row *row);
void config_set(struct config *config, const struct config_row *row,
		uint64_t value);

/* Return the buffer of a text field. */
char *config_text(struct config *config, const struct config_row *row);

/*
 * Set a field from `text`, which has the form of a value in a file. For a list,
 * add one item. If the value is invalid, append the reason to `message`, such
 * as "2 parsecs is not a time (ms, s, min, h, d)", and return false.
 */
bool config_assign(struct config *config, const struct config_row *row,
		   const char *text, struct buffer *message);

/*
 * Check that connections to the TCP listener are protected, which depends on
 * several rows. If they are not, append the reason to `message` and return
 * false.
 */
bool config_check_listen(const struct config *config, struct buffer *message);

/* Check browser and endpoint in the same way. */
bool config_check_render(const struct config *config, struct buffer *message);

/*
 * If the service manager sets $STATE_DIRECTORY and $RUNTIME_DIRECTORY, use them
 * as the default folders.
 */
void config_use_folders(struct config *config);

/*
 * Apply the sockets and credentials that the service manager has passed to the
 * daemon. On an error append the reason to `message` and return false.
 */
bool config_use_passed(struct config *config, struct buffer *message);

/*
 * Return whether the field is a list. The first member of its struct is the
 * number of items.
 */
bool config_is_list(const struct config_row *row);

/* Append the value of the field in the form of a value in a file. */
void config_show(const struct config *config, const struct config_row *row,
		 struct buffer *out);

/*
 * Append a number in the largest unit for which it is a whole number, such as
 * "24 h".
 */
void config_show_number(const struct config_row *row, uint64_t value,
			struct buffer *out);

/*
 * A unit of a type. The units of a type are an array, largest first, whose last
 * unit has the name NULL; the array is NULL if the type has no units.
 */
struct config_unit {
	const char *name;
	uint64_t factor;
};

const struct config_unit *config_units(enum config_type type);

#endif
