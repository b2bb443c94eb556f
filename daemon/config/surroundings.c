/*
 * daemon/config/surroundings.c - settings of the service manager: folders,
 * sockets, credentials.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "daemon/config/config_rows.h"
#include "daemon/runtime/activation.h"

enum { MAX_PLACE = 4096 };

_Static_assert(sizeof(((struct config *)0)->socket_path) ==
		       ACTIVATION_PATH_BYTES,
	       "a socket path");

/* Nothing changes the environment, so any thread may read it. */
/* NOLINTBEGIN(concurrency-mt-unsafe) */

/* Set `out` to the first folder in the variable, followed by `rest`. */
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

/* Return the path of the credential with the name of the row, if it exists. */
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

/* Set the field to the first line of the file. */
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

/* Return whether the value is the path of a secret that other code reads. */
static bool names_a_file(const struct config_row *row)
{
	return row->offset == offsetof(struct config, listen_certificate) ||
	       row->offset == offsetof(struct config, listen_key);
}

static bool take_credentials(struct config *config, struct buffer *message)
{
	char path[MAX_PLACE];
	struct buffer what = {0};
	bool is_taken = true;

	for (const struct config_row *row = config_rows;
	     is_taken && row->section != NULL; row++) {
		if (config_is_list(row) ||
		    !find_credential(row, path, sizeof(path)))
			continue;
		is_taken = names_a_file(row)
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
