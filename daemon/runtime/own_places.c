#include "daemon/runtime/own_places.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PLACE = 4096 };

static bool xdg_print_path(char *out, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Format the text; return false if it is too long. */
static bool xdg_print_path(char *out, size_t size, const char *format, ...)
{
	va_list values;
	int length;

	va_start(values, format);
	length = vsnprintf(out, size, format, values);
	va_end(values);
	return length > 0 && (size_t)length < size;
}

/* Return the variable if its value is an absolute path; ignore other values. */
static const char *xdg_folder(const char *variable)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes it */
	const char *path = getenv(variable);

	return path != NULL && *path == '/' ? path : NULL;
}

bool xdg_store_path(char *out, size_t size)
{
	const char *data = xdg_folder("XDG_DATA_HOME");
	const char *home = xdg_folder("HOME");

	if (data != NULL)
		return xdg_print_path(out, size, "%s/templated", data);
	return home != NULL &&
	       xdg_print_path(out, size, "%s/.local/share/templated", home);
}

static bool path_in_runtime(char out[XDG_SOCKET_BYTES])
{
	const char *runtime = xdg_folder("XDG_RUNTIME_DIR");

	return runtime != NULL &&
	       xdg_print_path(out, XDG_SOCKET_BYTES,
			      "%s/templated/templated.sock", runtime);
}

static bool path_in_store(char out[XDG_SOCKET_BYTES])
{
	char store[MAX_PLACE];

	return xdg_store_path(store, sizeof(store)) &&
	       xdg_print_path(out, XDG_SOCKET_BYTES, "%s/templated.sock",
			      store);
}

bool xdg_socket_path(char out[XDG_SOCKET_BYTES])
{
	return path_in_runtime(out) || path_in_store(out);
}

bool xdg_socket_find(char out[XDG_SOCKET_BYTES])
{
	return (path_in_runtime(out) && access(out, F_OK) == 0) ||
	       (path_in_store(out) && access(out, F_OK) == 0);
}

static bool xdg_make_folder(const char *path)
{
	return mkdir(path, 0700) == 0 || access(path, F_OK) == 0;
}

bool xdg_folder_make(const char *path)
{
	char folder[MAX_PLACE];

	if (!xdg_print_path(folder, sizeof(folder), "%s", path)) {
		errno = ENAMETOOLONG;
		return false;
	}
	for (char *c = folder + 1; *c != '\0'; c++) {
		if (*c != '/')
			continue;
		*c = '\0';
		if (!xdg_make_folder(folder))
			return false;
		*c = '/';
	}
	return xdg_make_folder(folder) && access(folder, W_OK | X_OK) == 0;
}
