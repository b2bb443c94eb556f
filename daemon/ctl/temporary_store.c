#include "daemon/ctl/temporary_store.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"

char *temporary_folder_make(const struct ctl *ctl)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
	const char *parent = getenv("TMPDIR");
	struct buffer path = {0};

	buffer_printf(&path, "%s/templatectl.XXXXXX",
		      parent == NULL || *parent == '\0' ? "/tmp" : parent);
	if (mkdtemp(path.data) != NULL)
		return path.data;
	ctl_print_error(
		ctl,
		"%s: cannot create; set TMPDIR to a folder with space for "
		"a compressed copy of the pages",
		path.data);
	buffer_free(&path);
	return NULL;
}

void temporary_folder_remove(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	struct buffer name = {0};

	/*
	 * NOLINTNEXTLINE(concurrency-mt-unsafe): only this thread uses the
	 * folder
	 */
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		buffer_clear(&name);
		buffer_printf(&name, "%s/%s", path, entry->d_name);
		unlink(name.data); /* "." and ".." fail */
	}
	if (folder != NULL)
		closedir(folder);
	rmdir(path);
	buffer_free(&name);
}

enum error temporary_store_open(const struct ctl *ctl, struct store **store_out)
{
	const struct store_options options = {.is_temporary = true};
	char *path = temporary_folder_make(ctl);
	enum error error;

	if (path == NULL)
		return ERR_IO;
	error = store_open(store_out, path, &options);
	if (error != ERR_NONE)
		ctl_print_error(ctl, "%s: %s", path, error_text(error));
	temporary_folder_remove(path);
	free(path);
	return error;
}
