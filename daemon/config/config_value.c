/*
 * daemon/config/config_value.c - parse and print values of the configuration.
 */
#include "daemon/config/config_rows.h"

#include <arpa/inet.h>
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/ascii.h"
#include "daemon/runtime/tcp_address.h"
#include "daemon/runtime/terminal.h"
#include "extract/core/extractor.h"
#include "extract/settings.h"

enum { MAX_DIGITS = 15 };

static const struct config_unit bytes_units[] = {
	{"GiB", UINT64_C(1) << 30},
	{"GB", 1000000000},
	{"MiB", 1 << 20},
	{"MB", 1000000},
	{"KiB", 1 << 10},
	{"kB", 1000},
	{"B", 1},
	{NULL, 0},
};

static const struct config_unit time_units[] = {
	{"d", 86400000}, {"h", 3600000}, {"min", 60000},
	{"s", 1000},     {"ms", 1},      {NULL, 0},
};

/* Stored in permille; written without a unit. */
static const struct config_unit ratio_units[] = {{"", 1000}, {NULL, 0}};
static const struct config_unit count_units[] = {{"", 1}, {NULL, 0}};

static const char *const type_names[] = {
	[CONFIG_TEXT] = "a text",
	[CONFIG_COUNT] = "a whole number",
	[CONFIG_BYTES] = "a size (B, kB, MB, GB, KiB, MiB, GiB)",
	[CONFIG_TIME] = "a time (ms, s, min, h, d)",
	[CONFIG_RATIO] = "a ratio, such as 0.25",
	[CONFIG_THRESHOLD] = "auto or a ratio, such as 0.25",
	[CONFIG_MODE] = "a mode, such as 0660",
	[CONFIG_CHOICE] = "one of the words",
	[CONFIG_SETTINGS] = "parameters of methods",
	[CONFIG_NETWORKS] = "a network, such as 10.0.0.0/8 or fd00::/8",
	[CONFIG_PORTS] = "a port, from 1 to 65535",
	[CONFIG_ADDRESS] = "an address and a port, such as [::1]:8481",
};

const struct config_unit *config_units(enum config_type type)
{
	switch (type) {
	case CONFIG_BYTES:
		return bytes_units;
	case CONFIG_TIME:
		return time_units;
	case CONFIG_RATIO:
	case CONFIG_THRESHOLD:
		return ratio_units;
	case CONFIG_COUNT:
		return count_units;
	default:
		return NULL;
	}
}

uint64_t config_get(const struct config *config, const struct config_row *row)
{
	const char *field = (const char *)config + row->offset;
	uint64_t wide;
	uint32_t narrow;

	switch (row->size) {
	case sizeof(bool):
		return *(const bool *)field;
	case sizeof(narrow):
		memcpy(&narrow, field, sizeof(narrow));
		return narrow;
	default:
		assert(row->size == sizeof(wide));
		memcpy(&wide, field, sizeof(wide));
		return wide;
	}
}

void config_set(struct config *config, const struct config_row *row,
		uint64_t value)
{
	char *field = (char *)config + row->offset;
	uint32_t narrow = (uint32_t)value;

	switch (row->size) {
	case sizeof(bool):
		*(bool *)field = value != 0;
		break;
	case sizeof(narrow):
		memcpy(field, &narrow, sizeof(narrow));
		break;
	default:
		assert(row->size == sizeof(value));
		memcpy(field, &value, sizeof(value));
	}
}

char *config_text(struct config *config, const struct config_row *row)
{
	return (char *)config + row->offset;
}

/* Read digits with at most one decimal point; return the text after them. */
static const char *read_decimal(const char *text, uint64_t *digits_out,
				uint64_t *scale_out)
{
	unsigned count = 0;
	bool has_point = false;

	*digits_out = 0;
	*scale_out = 1;
	for (; is_digit(*text) || (*text == '.' && !has_point && count > 0);
	     text++) {
		if (*text == '.') {
			has_point = true;
			continue;
		}
		if (++count > MAX_DIGITS)
			return NULL;
		*digits_out = *digits_out * 10 + (uint64_t)(*text - '0');
		if (has_point)
			*scale_out *= 10;
	}
	return count == 0 || text[-1] == '.' ? NULL : text;
}

static const struct config_unit *find_unit(const struct config_unit *units,
					   const char *name)
{
	while (units->name != NULL && strcmp(units->name, name) != 0)
		units++;
	return units->name == NULL ? NULL : units;
}

static bool check_range(const struct config_row *row, const char *text,
			uint64_t value, struct buffer *message)
{
	bool is_low = value < row->minimum;

	if (!is_low && value <= row->maximum)
		return true;
	buffer_printf(message, "%s is %s ", text, is_low ? "below" : "above");
	config_show_number(row, is_low ? row->minimum : row->maximum, message);
	return false;
}

static bool is_wrong(const struct config_row *row, const char *text,
		     struct buffer *message)
{
	buffer_printf(message, "%s is not %s", text, type_names[row->type]);
	return false;
}

/* Set a decimal number with a unit; the result must be a whole number. */
static bool assign_number(struct config *config, const struct config_row *row,
			  const char *text, struct buffer *message)
{
	const struct config_unit *unit = NULL;
	uint64_t digits = 0;
	uint64_t scale = 1;
	const char *rest = read_decimal(text, &digits, &scale);
	uint64_t value = UINT64_MAX;

	if (rest == NULL)
		return is_wrong(row, text, message);
	while (*rest == ' ')
		rest++;
	unit = find_unit(config_units(row->type), rest);
	if (unit == NULL && *rest == '\0' && digits == 0)
		unit = &ratio_units[0]; /* 0 needs no unit */
	if (unit == NULL)
		return is_wrong(row, text, message);
	if (digits <= UINT64_MAX / unit->factor) {
		value = digits * unit->factor;
		if (value % scale != 0)
			return is_wrong(row, text, message);
		value /= scale;
	}
	if (!check_range(row, text, value, message))
		return false;
	config_set(config, row, value);
	return true;
}

static bool assign_mode(struct config *config, const struct config_row *row,
			const char *text, struct buffer *message)
{
	size_t length = strlen(text);
	uint64_t value = 0;

	if (length < 3 || length > 4 || strspn(text, "01234567") != length)
		return is_wrong(row, text, message);
	for (size_t i = 0; i < length; i++)
		value = value << 3 | (uint64_t)(text[i] - '0');
	if (value > row->maximum)
		return is_wrong(row, text, message);
	config_set(config, row, value);
	return true;
}

/* Return word number `index` of "a|b|c". */
static struct slice word_at(const char *words, uint64_t index)
{
	while (index-- > 0) {
		words += strcspn(words, "|");
		words += *words == '|';
	}
	return (struct slice){words, strcspn(words, "|")};
}

static bool assign_choice(struct config *config, const struct config_row *row,
			  const char *text, struct buffer *message)
{
	for (uint64_t i = 0; i <= row->maximum; i++) {
		if (slice_equal(word_at(row->words, i), slice_of(text))) {
			config_set(config, row, i);
			return true;
		}
	}
	buffer_printf(message, "%s is not one of %s", text, row->words);
	return false;
}

static bool assign_text(struct config *config, const struct config_row *row,
			const char *text, struct buffer *message)
{
	size_t length = strlen(text);

	if (length < row->minimum || length > row->maximum) {
		buffer_printf(message,
			      "it has %zu bytes; allowed are %" PRIu64
			      " to %" PRIu64,
			      length, row->minimum, row->maximum);
		return false;
	}
	for (const char *c = text; *c != '\0'; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f) {
			buffer_append_text(message,
					   "it contains a control character");
			return false;
		}
	}
	memcpy(config_text(config, row), text, length + 1);
	return true;
}

static bool assign_settings(struct config *config, const struct config_row *row,
			    const char *text, struct buffer *message)
{
	char error[256];

	if (settings_apply(text, NULL, NULL, error))
		return assign_text(config, row, text, message);
	buffer_append_text(message, error);
	return false;
}

static bool config_list_has_room(size_t count, size_t max,
				 struct buffer *message)
{
	if (count >= max)
		buffer_printf(message, "the list has more than %zu items", max);
	return count < max;
}

static bool assign_network(struct config *config, const struct config_row *row,
			   const char *text, struct buffer *message)
{
	struct network_list *list = (void *)((char *)config + row->offset);

	if (!config_list_has_room(list->count, MAX_NETWORKS, message))
		return false;
	if (network_parse(text, &list->items[list->count]) != ERR_NONE)
		return is_wrong(row, text, message);
	list->count++;
	return true;
}

static bool assign_port(struct config *config, const struct config_row *row,
			const char *text, struct buffer *message)
{
	struct port_list *list = (void *)((char *)config + row->offset);
	size_t length = strlen(text);
	unsigned port = 0;

	if (!config_list_has_room(list->count, MAX_PORTS, message))
		return false;
	if (length <= 5 && strspn(text, "0123456789") == length)
		for (const char *c = text; *c != '\0'; c++)
			port = port * 10 + (unsigned)(*c - '0');
	if (port == 0 || port > UINT16_MAX)
		return is_wrong(row, text, message);
	list->items[list->count++] = (uint16_t)port;
	return true;
}

bool config_is_list(const struct config_row *row)
{
	return row->type == CONFIG_NETWORKS || row->type == CONFIG_PORTS;
}

static bool assign_cut(struct config *config, const struct config_row *row,
		       const char *text, struct buffer *message)
{
	if (strcmp(text, "auto") != 0)
		return assign_number(config, row, text, message);
	config_set(config, row, THRESHOLD_AUTO);
	return true;
}

static bool assign_address(struct config *config, const struct config_row *row,
			   const char *text, struct buffer *message)
{
	struct tcp_address address;

	if (*text == '\0' || tcp_address_read(text, &address))
		return assign_text(config, row, text, message);
	return is_wrong(row, text, message);
}

bool config_check_listen(const struct config *config, struct buffer *message)
{
	struct tcp_address address;
	bool has_certificate = *config->listen_certificate != '\0';

	if (has_certificate != (*config->listen_key != '\0')) {
		buffer_append_text(
			message,
			"certificate and key belong together: set both");
		return false;
	}
	if (!tcp_address_read(config->listen_address, &address) ||
	    address.is_loopback || has_certificate || config->is_unencrypted)
		return true;
	buffer_printf(message,
		      "%s is not a loopback address: set listen.certificate "
		      "and listen.key, or listen.allow_plaintext: yes",
		      config->listen_address);
	return false;
}

bool config_assign(struct config *config, const struct config_row *row,
		   const char *text, struct buffer *message)
{
	switch (row->type) {
	case CONFIG_TEXT:
		return assign_text(config, row, text, message);
	case CONFIG_MODE:
		return assign_mode(config, row, text, message);
	case CONFIG_CHOICE:
		return assign_choice(config, row, text, message);
	case CONFIG_SETTINGS:
		return assign_settings(config, row, text, message);
	case CONFIG_NETWORKS:
		return assign_network(config, row, text, message);
	case CONFIG_PORTS:
		return assign_port(config, row, text, message);
	case CONFIG_ADDRESS:
		return assign_address(config, row, text, message);
	case CONFIG_THRESHOLD:
		return assign_cut(config, row, text, message);
	default:
		return assign_number(config, row, text, message);
	}
}

void config_show_number(const struct config_row *row, uint64_t value,
			struct buffer *out)
{
	const struct config_unit *unit = config_units(row->type);

	if (row->type == CONFIG_THRESHOLD && value == THRESHOLD_AUTO) {
		buffer_append_text(out, "auto");
		return;
	}
	if (row->type == CONFIG_RATIO || row->type == CONFIG_THRESHOLD) {
		buffer_printf(out, "%g", (double)value / 1000.0);
		return;
	}
	if (unit == NULL) {
		buffer_printf(out, "%04" PRIo64, value);
		return;
	}
	while (unit[1].name != NULL &&
	       (value == 0 || value % unit->factor != 0))
		unit++;
	buffer_printf(out, "%" PRIu64 "%s%s", value / unit->factor,
		      *unit->name == '\0' ? "" : " ", unit->name);
}

/* Append text in double quotes, with \U escapes except for ASCII. */
static void config_show_text(const char *text, struct buffer *out)
{
	struct slice bytes = slice_of(text);
	size_t position = 0;

	buffer_append_byte(out, '"');
	while (position < bytes.size) {
		uint32_t code_point = terminal_code_point(bytes, &position);

		if (code_point >= 0x7F)
			buffer_printf(out, "\\U%08" PRIX32, code_point);
		else if (code_point == '"' || code_point == '\\')
			buffer_printf(out, "\\%c", (int)code_point);
		else
			buffer_append_byte(out, (char)code_point);
	}
	buffer_append_byte(out, '"');
}

static void show_network(const struct network *network, struct buffer *out)
{
	static const unsigned char mapped[12] = {[10] = 0xFF, [11] = 0xFF};
	bool is_v4 = network->prefix >= 96 &&
		     memcmp(network->address, mapped, sizeof(mapped)) == 0;
	char text[INET6_ADDRSTRLEN];

	inet_ntop(is_v4 ? AF_INET : AF_INET6,
		  network->address + (is_v4 ? sizeof(mapped) : 0), text,
		  sizeof(text));
	buffer_printf(out, "\"%s/%d\"", text,
		      network->prefix - (is_v4 ? 96 : 0));
}

static void show_list(const struct config *config, const struct config_row *row,
		      struct buffer *out)
{
	const void *field = (const char *)config + row->offset;
	const struct network_list *networks = field;
	const struct port_list *ports = field;
	bool is_ports = row->type == CONFIG_PORTS;
	size_t count = is_ports ? ports->count : networks->count;

	buffer_append_byte(out, '[');
	for (size_t i = 0; i < count; i++) {
		buffer_append_text(out, i == 0 ? "" : ", ");
		if (is_ports)
			buffer_printf(out, "%u", ports->items[i]);
		else
			show_network(&networks->items[i], out);
	}
	buffer_append_byte(out, ']');
}

void config_show(const struct config *config, const struct config_row *row,
		 struct buffer *out)
{
	switch (row->type) {
	case CONFIG_TEXT:
	case CONFIG_ADDRESS:
	case CONFIG_SETTINGS:
		config_show_text((const char *)config + row->offset, out);
		break;
	case CONFIG_CHOICE:
		buffer_append_slice(
			out, word_at(row->words, config_get(config, row)));
		break;
	case CONFIG_NETWORKS:
	case CONFIG_PORTS:
		show_list(config, row, out);
		break;
	default:
		config_show_number(row, config_get(config, row), out);
	}
}
