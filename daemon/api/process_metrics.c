#include "daemon/api/process_metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "daemon/api/metric.h"
#include "daemon/privsep/roster.h"
#include "daemon/privsep/sandbox.h"

enum { MAX_STATM_BYTES = 256 };

/*
 * Return the resident memory of the process; 0 if it has exited or the kernel
 * does not report it.
 */
static uint64_t resident_bytes(pid_t pid)
{
	struct buffer text = {0};
	uint64_t pages = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/statm", (long)pid);
	if (file_read(path, MAX_STATM_BYTES, &text) == ERR_NONE) {
		char *rest;

		/*
		 * the second number; the first is the size of the address space
		 */
		strtoull(text.data, &rest, 10);
		pages = strtoull(rest, NULL, 10);
	}
	buffer_free(&text);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static struct slice process_metrics_role(int role)
{
	return slice_of(role_name((enum role)role));
}

static void write_running(const struct process_snapshot *view,
			  struct buffer *out)
{
	uint64_t counts[ROLE_COUNT] = {0};

	for (size_t i = 0; i < view->count; i++)
		counts[view->entries[i].role]++;
	metric_begin(out, METRIC_PROCESSES);
	for (int role = 0; role < ROLE_COUNT; role++)
		metric_sample(out, METRIC_PROCESSES, process_metrics_role(role),
			      (double)counts[role]);
}

static void write_resident(const struct process_snapshot *view,
			   struct buffer *out)
{
	uint64_t bytes[ROLE_COUNT] = {0};

	for (size_t i = 0; i < view->count; i++)
		bytes[view->entries[i].role] +=
			resident_bytes(view->entries[i].pid);
	metric_begin(out, METRIC_RESIDENT);
	for (int role = 0; role < ROLE_COUNT; role++)
		if (bytes[role] > 0)
			metric_sample(out, METRIC_RESIDENT,
				      process_metrics_role(role),
				      (double)bytes[role]);
}

static void process_metrics_write(struct buffer *out, enum metric metric,
				  const uint64_t *counts, double unit)
{
	metric_begin(out, metric);
	for (int role = 0; role < ROLE_COUNT; role++)
		metric_sample(out, metric, process_metrics_role(role),
			      (double)counts[role] / unit);
}

void process_metrics(struct process_table *roster, struct buffer *out)
{
	struct process_snapshot view;

	if (roster == NULL)
		return;
	view = process_table_snapshot(roster);
	write_running(&view, out);
	process_metrics_write(out, METRIC_STARTS, view.starts, 1);
	process_metrics_write(out, METRIC_DEATHS, view.deaths, 1);
	process_metrics_write(out, METRIC_CPU, view.cpu_us, 1e6);
	write_resident(&view, out);
	process_snapshot_free(&view);
}
