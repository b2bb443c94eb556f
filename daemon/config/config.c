#include "daemon/config/config.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "daemon/config/config_table.h"
#include "daemon/runtime/systemd.h"

/*
 * Settings that come from the service manager: folders, sockets and
 * credentials.
 */

enum { MAX_PLACE = 4096 };

_Static_assert(sizeof(((struct config *)0)->socket_path) ==
		       ACTIVATION_PATH_BYTES,
	       "a socket path");

/* The program never changes its environment, so any thread may read it. */
/* NOLINTBEGIN(concurrency-mt-unsafe) */

/*
 * `variable` is an environment variable with folders, separated by ":". Set
 * `out` to the first folder, followed by `rest`. If the variable is not set,
 * does not begin with "/", or is too long for `out`, leave `out` unchanged.
 */
static void config_set_folder(const char *variable, const char *rest, char *out,
			      size_t size)
{
	const char *folders = getenv(variable);
	char path[MAX_PLACE];
	int length;

	if (folders == NULL || *folders != '/')
		return;
	length = snprintf(path, sizeof(path), "%.*s%s",
			  (int)strcspn(folders, ":"), folders, rest);
	if (length > 0 && (size_t)length < size)
		memcpy(out, path, (size_t)length + 1);
}

void config_use_folders(struct config *config)
{
	config_set_folder("STATE_DIRECTORY", "", config->store_path,
			  sizeof(config->store_path));
	config_set_folder("RUNTIME_DIRECTORY", "/templated.sock",
			  config->socket_path, sizeof(config->socket_path));
}

/*
 * Write the path of the credential that has the name of the row to `path_out`.
 * Return false if there is no such credential.
 */
static bool find_credential(const struct config_row *row, char *path_out,
			    size_t size)
{
	const char *folder = getenv("CREDENTIALS_DIRECTORY");
	int length;

	if (folder == NULL || *folder == '\0')
		return false;
	length = snprintf(path_out, size, "%s/%s.%s", folder, row->section,
			  row->key);
	return length > 0 && (size_t)length < size &&
	       access(path_out, F_OK) == 0;
}

/* NOLINTEND(concurrency-mt-unsafe) */

/* Set the field of the row to the first line of the file. */
static bool assign_line(struct config *config, const struct config_row *row,
			const char *path, struct buffer *message)
{
	struct buffer bytes = {0};
	bool is_set = false;
	enum error error;

	error = file_read(path, MAX_CONFIG_TEXT, &bytes);
	if (error != ERR_NONE) {
		buffer_printf(message, "cannot read it: %s",
			      file_error_text(error));
	} else {
		buffer_append_byte(&bytes, '\n');
		bytes.data[strcspn(bytes.data, "\r\n")] = '\0';
		is_set = config_assign(config, row, bytes.data, message);
	}
	if (bytes.data != NULL)
		explicit_bzero(bytes.data, bytes.capacity);
	buffer_free(&bytes);
	return is_set;
}

static bool take_credentials(struct config *config, struct buffer *message)
{
	char path[MAX_PLACE];
	struct buffer what = {0};
	bool is_taken = true;

	for (const struct config_row *row = config_rows;
	     is_taken && row->section != NULL; row++) {
		/*
		 * the value is the path of the file, whose content other code
		 * reads
		 */
		bool names_a_file =
			row->offset ==
				offsetof(struct config, listen_certificate) ||
			row->offset == offsetof(struct config, listen_key);

		if (config_is_list(row) ||
		    !find_credential(row, path, sizeof(path)))
			continue;
		is_taken = names_a_file
				   ? config_assign(config, row, path, &what)
				   : assign_line(config, row, path, &what);
		if (!is_taken)
			buffer_printf(message, "credential %s.%s: %s",
				      row->section, row->key, what.data);
	}
	buffer_free(&what);
	return is_taken;
}

static bool take_sockets(struct config *config, struct buffer *message)
{
	size_t count = activation_path("socket.path", config->socket_path);

	count += activation_path("socket.read_only_path", config->reader_path);
	if (count == activation_count())
		return true;
	buffer_append_text(
		message,
		"a socket of the service manager needs "
		"FileDescriptorName=socket.path or socket.read_only_path, and "
		"ListenStream= in the file system");
	return false;
}

bool config_use_passed(struct config *config, struct buffer *message)
{
	return take_sockets(config, message) &&
	       take_credentials(config, message);
}

enum { COMMENT_COLUMNS = 72 };

/* Set a list to its default: the words in its row. */
static void set_list(struct config *config, const struct config_row *row)
{
	const char *words = row->words == NULL ? "" : row->words;
	struct buffer message = {0};
	char word[64];

	while (*words != '\0') {
		size_t length = strcspn(words, "|");

		(void)snprintf(word, sizeof(word), "%.*s", (int)length, words);
		config_assign(config, row, word, &message);
		words += length;
		words += *words == '|';
	}
	buffer_free(&message);
}

void config_defaults(struct config *config_out)
{
	*config_out = (struct config){0};
	for (const struct config_row *row = config_rows; row->section != NULL;
	     row++) {
		if (row->text != NULL)
			snprintf(config_text(config_out, row), row->size, "%s",
				 row->text);
		else if (config_is_list(row))
			set_list(config_out, row);
		else
			config_set(config_out, row, row->default_value);
	}
	config_use_folders(config_out);
}

/* Append `text` as indented comment lines. */
static void print_comment(const char *text, struct buffer *out)
{
	size_t column = 0;

	while (*text != '\0') {
		size_t length = strcspn(text, " ");

		if (column > 0 && column + 1 + length > COMMENT_COLUMNS) {
			buffer_append_byte(out, '\n');
			column = 0;
		}
		buffer_append_text(out, column == 0 ? "  #" : "");
		buffer_append_byte(out, ' ');
		buffer_append(out, text, length);
		column += 1 + length;
		text += length;
		text += *text == ' ';
	}
	buffer_append_byte(out, '\n');
}

static void append_range(const struct config_row *row, struct buffer *out)
{
	switch (row->type) {
	case CONFIG_COUNT:
	case CONFIG_BYTES:
	case CONFIG_TIME:
	case CONFIG_RATIO:
	case CONFIG_THRESHOLD:
		buffer_append_text(out, ". ");
		config_show_number(row, row->minimum, out);
		buffer_append_text(out, " to ");
		config_show_number(row, row->maximum, out);
		if (row->type == CONFIG_THRESHOLD)
			buffer_append_text(out, ", or auto");
		break;
	case CONFIG_CHOICE:
		buffer_printf(out, ". One of %s", row->words);
		break;
	default:
		break;
	}
}

static void config_print_row(const struct config *config,
			     const struct config_row *row, struct buffer *out)
{
	struct buffer comment = {0};

	buffer_append_text(&comment, row->meaning);
	append_range(row, &comment);
	if (row->needs_restart)
		buffer_append_text(&comment, ". Needs a restart");
	buffer_append_byte(&comment, '.');
	print_comment(comment.data, out);
	buffer_printf(out, "  %s: ", row->key);
	config_show(config, row, out);
	buffer_append_byte(out, '\n');
	buffer_free(&comment);
}

void config_print(const struct config *config, struct buffer *out)
{
	const char *section = "";

	buffer_append_text(
		out, "# The configuration of templated: every key with its "
		     "value. A missing key has\n"
		     "# its default. templated --check -c FILE checks a file. "
		     "On SIGHUP the daemon\n"
		     "# reads the file again.\n");
	for (const struct config_row *row = config_rows; row->section != NULL;
	     row++) {
		if (strcmp(section, row->section) != 0)
			buffer_printf(out, "\n%s:\n", row->section);
		section = row->section;
		config_print_row(config, row, out);
	}
}

/*
 * Return whether the field of the row is different in `a` and `b`. This
 * compares the text that config_show() prints.
 */
static bool config_field_differs(const struct config *a, const struct config *b,
				 const struct config_row *row)
{
	struct buffer texts[2] = {{0}};
	bool is_equal;

	config_show(a, row, &texts[0]);
	config_show(b, row, &texts[1]);
	is_equal =
		slice_equal(buffer_slice(&texts[0]), buffer_slice(&texts[1]));
	buffer_free(&texts[0]);
	buffer_free(&texts[1]);
	return !is_equal;
}

void config_restore_fixed(struct config *config, const struct config *old,
			  struct buffer *kept_out)
{
	for (const struct config_row *row = config_rows; row->section != NULL;
	     row++) {
		if (!row->needs_restart ||
		    !config_field_differs(config, old, row))
			continue;
		buffer_printf(kept_out, "%s%s.%s",
			      kept_out->size == 0 ? "" : ", ", row->section,
			      row->key);
		memcpy((char *)config + row->offset,
		       (const char *)old + row->offset, row->size);
	}
}

bool config_certifies_nodes(const struct config *config)
{
	return *config->servers != '\0' &&
	       *config->listen_certificate != '\0' &&
	       *config->bus_ca_file != '\0' &&
	       *config->bus_certificate_file != '\0' &&
	       *config->bus_key_file != '\0';
}

struct shared_config {
	/* must be the first field, so that it has the address of the struct */
	struct config config;
	atomic_size_t references;
};

/*
 * Return the struct with the reference count, whose field is `config`. `config`
 * comes from config_share().
 */
static struct shared_config *shared_of(const struct config *config)
{
	union {
		const struct config *config;
		struct shared_config *shared;
	} address = {.config = config};

	return address.shared;
}

const struct config *config_share(const struct config *config)
{
	struct shared_config *shared = mem_alloc(1, sizeof(*shared));

	shared->config = *config;
	atomic_init(&shared->references, 1);
	return &shared->config;
}

const struct config *config_acquire(const struct config *config)
{
	size_t before = atomic_fetch_add_explicit(
		&shared_of(config)->references, 1, memory_order_relaxed);

	assert(before > 0);
	(void)before;
	return config;
}

void config_release(const struct config *config)
{
	if (config != NULL &&
	    atomic_fetch_sub(&shared_of(config)->references, 1) == 1)
		free(shared_of(config));
}
