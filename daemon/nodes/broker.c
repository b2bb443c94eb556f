#include "daemon/nodes/broker.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

void broker_message_free(struct broker_message *message)
{
	buffer_free(&message->subject);
	buffer_free(&message->data);
}

void broker_rows_free(struct broker_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buffer_free(&rows[i].value);
	free(rows);
}

struct broker_subject broker_subject(const char *format, ...)
{
	struct broker_subject subject;
	va_list list;

	va_start(list, format);
	vsnprintf(subject.text, sizeof(subject.text), format, list);
	va_end(list);
	return subject;
}

#if defined(BUS_MODULES)

/* Write the log lines of the module to the daemon's log. */
static void broker_write_log_event(const struct log_event *event)
{
	log_line(event->level, "%s", event->message);
}

static void *open_in(const char *folder)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", folder, BROKER_NATS_FILE) >=
		    (int)sizeof(path) ||
	    access(path, R_OK) != 0)
		return NULL;
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* NOLINTBEGIN(concurrency-mt-unsafe): dlerror() is per thread in glibc */

/*
 * Load the module from $TEMPLATED_MODULES, from the folder of the program (in a
 * build tree), or from the folder where it is installed; the first one found.
 */
static void *open_module(void)
{
	const char *wanted = secure_getenv("TEMPLATED_MODULES");
	char program[PATH_MAX];
	ssize_t length =
		readlink("/proc/self/exe", program, sizeof(program) - 1);
	void *module = NULL;

	dlerror();
	if (wanted != NULL)
		module = open_in(wanted);
	if (module == NULL && length > 0) {
		program[length] = '\0';
		*strrchr(program, '/') = '\0';
		module = open_in(program);
	}
	if (module == NULL)
		module = open_in(BUS_MODULES);
	return module;
}

static const struct broker_ops *bus_load_module(const char *servers)
{
	void *module = open_module();
	const char *why = dlerror();
	broker_module *load = NULL;

	if (module != NULL)
		/*
		 * POSIX requires dlsym() results to be convertible to function
		 * pointers
		 */
		*(void **)&load = dlsym(module, BROKER_NATS_SYMBOL);
	if (load != NULL)
		return load(broker_write_log_event); /* never unloaded */
	log_error("nodes.broker_urls %s: %s", servers,
		  why != NULL ? why
			      : BUS_MODULES "/" BROKER_NATS_FILE
					    " is missing: install the Debian "
					    "package templated-nodes");
	return NULL;
}

/* NOLINTEND(concurrency-mt-unsafe) */

static const struct broker_ops *loaded;

const struct broker_ops *broker_load(const char *servers)
{
	if (loaded == NULL)
		loaded = bus_load_module(servers);
	return loaded;
}

#elif defined(BUS_BUILTIN)

const struct broker_ops *broker_load(const char *servers)
{
	(void)servers;
	return broker_nats_load(NULL);
}

#else

const struct broker_ops *broker_load(const char *servers)
{
	log_error("nodes.broker_urls %s: this program was built without broker "
		  "support",
		  servers);
	return NULL;
}

#endif

void broker_flush_log(bool is_end)
{
#if defined(BUS_MODULES)
	if (loaded != NULL)
		loaded->flush_log(is_end);
#endif
	log_flush(is_end);
}
