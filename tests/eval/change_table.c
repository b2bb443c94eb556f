/*
 * change_table [NAME=VALUE]... < LIST - decisions on samples of saved pages, as
 * tests/eval/changes.py asks for them. LIST has samples, each of lines
 *
 *	sample TAB NAME
 *	page TAB URL TAB BEFORE TAB AFTER TAB CLUSTER
 *
 * where BEFORE and AFTER are files, AFTER is "-" for a page that is gone, and
 * "?" for one that was not asked. CLUSTER is where the page is now; the
 * template is 1. A page that was none before is left out. NAME=VALUE is a row
 * of struct change_rules. For each sample a line, with tabs between: its name,
 * the decision, seen, how many of these are still pages, agreed, disagreed,
 * paths gone and come, the ratio of them that moved, the same of fragments, 1
 * if it was rebuilt, 1 if the versions of both states have the same design, how
 * many of the pages the version before has, and the regions: their path, and
 * what was and is there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "daemon/privsep/analyse_task.h"
#include "page/page.h"
#include "template/change_detector.h"
#include "template/version.h"

#define MAX_BYTES ((size_t)64 << 20)

static const char *const kinds[] = {
	[DECISION_SAME] = "same",         [DECISION_UNSURE] = "unsure",
	[DECISION_CHANGED] = "changed",   [DECISION_REPLACED] = "replaced",
	[DECISION_MERGED] = "merged",     [DECISION_SPLIT] = "split",
	[DECISION_VANISHED] = "vanished", [DECISION_BLOCKED] = "blocked",
};

struct labelled_sample {
	struct arena *arena;
	struct change_rules rules;
	char *name;
	struct observed_page observed_pages[MAX_TEMPLATE_SAMPLE];
	uint32_t count;
	/* the pages before and after; NULL = none */
	struct page *pages[2][MAX_TEMPLATE_SAMPLE];
};

/* False when the file is no page. */
static bool read_record(struct labelled_sample *sample, const char *path,
			const char *url, unsigned side)
{
	struct observed_page *observed = &sample->observed_pages[sample->count];
	struct record *record_out =
		side == 0 ? &observed->before : &observed->after;
	const struct analyse_options options = {
		.limits = &page_limits_default,
		.measure = MEASURE_CCS,
		.http_status = 200,
	};
	struct buffer bytes = {0};
	struct buffer made = {0};
	struct url parsed;
	bool is_page;
	char *copy;

	is_page = file_read(path, MAX_BYTES, &bytes) == ERR_NONE &&
		  url_parse(&parsed, slice_of(url), NULL) == ERR_NONE &&
		  analyse(buffer_slice(&bytes), slice_of("UTF-8"), &parsed,
			  &options, &made) == ERR_NONE;
	copy = arena_alloc(sample->arena, made.size, 1);
	memcpy(copy, made.data == NULL ? "" : made.data, made.size);
	is_page = is_page &&
		  record_open((struct slice){copy, made.size}, record_out) ==
			  ERR_NONE &&
		  record_class(record_out) == 0;
	if (is_page && page_parse(&sample->pages[side][sample->count],
				  buffer_slice(&bytes), slice_of("UTF-8"),
				  &page_limits_default) != ERR_NONE)
		is_page = false;
	buffer_free(&bytes);
	buffer_free(&made);
	return is_page;
}

static uint32_t still_pages(const struct labelled_sample *sample)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < sample->count; i++)
		count += sample->observed_pages[i].observation == OBSERVED_PAGE;
	return count;
}

static void print_text(struct slice text)
{
	printf("%.*s", (int)text.size, (const char *)text.data);
}

static void print_regions(const struct detection *found)
{
	for (uint32_t i = 0; i < found->region_count; i++) {
		const struct change_region *region = &found->regions[i];

		printf(i == 0 ? "" : " | ");
		print_text(region->where);
		printf(": ");
		print_text(region->was);
		printf(" -> ");
		print_text(region->now);
		printf(" (%u/%u)", region->lost, region->gained);
		for (uint32_t j = 0; j < region->element_count; j++) {
			printf("; ");
			print_text(region->elements[j].was);
			printf(" = ");
			print_text(region->elements[j].now);
		}
	}
	printf("\n");
}

static struct version *version_of(struct labelled_sample *sample, unsigned side)
{
	struct record records[MAX_TEMPLATE_SAMPLE];
	const struct page *pages[MAX_TEMPLATE_SAMPLE];
	struct slice urls[MAX_TEMPLATE_SAMPLE] = {{NULL, 0}};
	struct version_input input = {
		.records = records, .pages = pages, .urls = urls};

	for (uint32_t i = 0; i < sample->count; i++) {
		if (sample->pages[side][i] == NULL)
			continue;
		records[input.sample_count] =
			side == 0 ? sample->observed_pages[i].before
				  : sample->observed_pages[i].after;
		pages[input.sample_count++] = sample->pages[side][i];
	}
	input.record_count = input.sample_count;
	input.page_count = input.sample_count;
	return input.sample_count == 0 ? NULL
				       : version_make(sample->arena, &input);
}

static void print_design(struct labelled_sample *sample)
{
	const struct version *before = version_of(sample, 0);
	const struct version *now = version_of(sample, 1);
	uint32_t pages = 0;

	if (before == NULL || now == NULL) {
		printf("?\t?\t");
		return;
	}
	for (uint32_t i = 0; i < sample->count; i++)
		pages += sample->pages[1][i] != NULL &&
			 version_has_page(sample->arena, before,
					  &sample->observed_pages[i].after);
	printf("%d\t%u\t", version_is_same_design(sample->arena, before, now),
	       pages);
}

static void detect_in_sample(struct labelled_sample *sample)
{
	struct detection found;

	detect_change(sample->arena, 1, sample->observed_pages, sample->count,
		      &sample->rules, &found);
	printf("%s\t%s\t%u\t%u\t%u\t%u\t%u\t%u\t%.3f\t%u\t%u\t%.3f\t%d\t",
	       sample->name, kinds[found.kind], found.seen, still_pages(sample),
	       found.agreed, found.disagreed, found.gone_path_count,
	       found.come_path_count, found.paths_moved,
	       found.gone_fragment_count, found.come_fragment_count,
	       found.fragments_moved, found.is_rebuilt);
	print_design(sample);
	print_regions(&found);
}

static void end_sample(struct labelled_sample *sample)
{
	if (sample->arena != NULL)
		detect_in_sample(sample);
	for (uint32_t i = 0; i < 2 * MAX_TEMPLATE_SAMPLE; i++) {
		struct page **page = &sample->pages[i % 2][i / 2];

		page_destroy(*page);
		*page = NULL;
	}
	free(sample->name);
	arena_destroy(sample->arena);
	sample->name = NULL;
	sample->arena = NULL;
	sample->count = 0;
}

static bool add_page(struct labelled_sample *sample, char *line)
{
	struct observed_page *observed = &sample->observed_pages[sample->count];
	char *fields[4];

	for (size_t i = 0; i < 4; i++)
		fields[i] = strsep(&line, "\t");
	if (sample->arena == NULL || sample->count == MAX_TEMPLATE_SAMPLE ||
	    fields[3] == NULL)
		return false;
	*observed = (struct observed_page){.page = sample->count + 1};
	if (!read_record(sample, fields[1], fields[0], 0))
		return true;
	observed->cluster = (uint32_t)strtoul(fields[3], NULL, 10);
	observed->observation = OBSERVED_UNSEEN;
	if (strcmp(fields[2], "?") != 0)
		observed->observation =
			strcmp(fields[2], "-") != 0 &&
					read_record(sample, fields[2],
						    fields[0], 1)
				? OBSERVED_PAGE
				: OBSERVED_GONE;
	sample->count++;
	return true;
}

static bool set_rule(struct change_rules *rules, const char *assignment)
{
	const struct {
		const char *name;
		unsigned *value;
	} rows[] = {
		{"min_pages=", &rules->min_pages},
		{"agreement=", &rules->agreement},
		{"path_ratio=", &rules->path_ratio},
		{"fragment_ratio=", &rules->fragment_ratio},
		{"page_ratio=", &rules->page_ratio},
		{"few_ratio=", &rules->few_ratio},
		{"region_elements=", &rules->region_elements},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t length = strlen(rows[i].name);

		if (strncmp(assignment, rows[i].name, length) != 0)
			continue;
		*rows[i].value =
			(unsigned)strtoul(assignment + length, NULL, 10);
		return true;
	}
	return false;
}

static bool read_line(struct labelled_sample *sample, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "sample\t", 7) == 0) {
		end_sample(sample);
		sample->name = strdup(line + 7);
		sample->arena = arena_create();
		return true;
	}
	return strncmp(line, "page\t", 5) == 0 && add_page(sample, line + 5);
}

int main(int argc, char **argv)
{
	struct labelled_sample sample = {.rules = change_rules_default};
	char *line = NULL;
	size_t size = 0;
	int status = 0;

	for (int i = 1; i < argc; i++)
		if (!set_rule(&sample.rules, argv[i])) {
			fprintf(stderr, "change_table: %s: no such rule\n",
				argv[i]);
			return 2;
		}
	while (status == 0 && getline(&line, &size, stdin) > 0)
		if (!read_line(&sample, line)) {
			fprintf(stderr, "change_table: bad line: %s\n", line);
			status = 1;
		}
	end_sample(&sample);
	free(line);
	return status;
}
