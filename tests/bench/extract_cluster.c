/*
 * extract_cluster METHOD [NAME=VALUE]... --out DIR FOLDER... - the content of
 * pages whose clusters are known: every folder is one. A method that learns has
 * a sample of up to 32 pages. A page FOLDER/X.html gives DIR/X.txt. For
 * tests/eval/choose.py.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "extract/render/render.h"
#include "page/page.h"
#include "tests/bench/cluster.h"
#include "tests/bench/contestant.h"

struct work {
	struct contestants contestants; /* one */
	const char *out;
};

static void write_text(const struct work *work, const char *name,
		       const struct page *page, const struct verdict *verdicts)
{
	const char *ending = strstr(name, ".htm");
	int length =
		(int)(ending == NULL ? strlen(name) : (size_t)(ending - name));
	struct buffer text = {0};
	struct buffer path = {0};

	render_text(page, verdicts, &text);
	buffer_printf(&path, "%s/%.*s.txt", work->out, length, name);
	if (file_write(path.data, buffer_slice(&text)) != ERR_NONE)
		fprintf(stderr, "%s: cannot be written\n", path.data);
	buffer_free(&path);
	buffer_free(&text);
}

static void extract(const struct work *work, const struct cluster *cluster,
		    const char *name, const struct page *page)
{
	const struct contestant *contestant = work->contestants.items;
	const struct template_counts counts = cluster_counts(cluster, page);
	const struct extractor_input input = {
		.page = page,
		.template_counts = &counts,
		.learned = contestant->learned,
		.parameters = contestant->parameters,
		.arena = page->arena,
	};
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);

	contestant->extractor->run(&input, verdicts);
	write_text(work, name, page, verdicts);
}

static bool extract_folder(struct work *work, const char *folder)
{
	struct cluster cluster;
	struct buffer body = {0};
	bool is_open = cluster_open(&cluster, folder, true);
	const struct sample sample = cluster_sample(&cluster);

	if (sample.count > 0)
		contestant_learn(work->contestants.items, &sample, 1);
	for (size_t i = 0; i < cluster.list.count; i++) {
		struct page *page = cluster_read(&cluster, i, &body);

		if (page != NULL)
			extract(work, &cluster, cluster.list.paths[i], page);
		page_destroy(page);
	}
	buffer_free(&body);
	cluster_close(&cluster);
	return is_open;
}

/* METHOD [NAME=VALUE]... --out DIR, and the index of what follows; 0: wrong. */
static int read_command(struct work *work, int argc, char **argv)
{
	struct contestant *contestant = work->contestants.items;
	char error[256];
	int i = 2;

	if (argc < 2 || !contestants_add(&work->contestants, argv[1]))
		return 0;
	for (; i < argc && strcmp(argv[i], "--out") != 0; i++)
		if (!extractor_set(contestant->extractor, argv[i],
				   contestant->parameters, error)) {
			fprintf(stderr, "%s\n", error);
			return 0;
		}
	if (i + 2 >= argc)
		return 0;
	work->out = argv[i + 1];
	return i + 2;
}

int main(int argc, char **argv)
{
	struct work work = {0};
	int first = read_command(&work, argc, argv);
	bool is_done = true;

	if (first == 0) {
		fprintf(stderr, "usage: extract_cluster METHOD [NAME=VALUE]... "
				"--out DIR FOLDER...\n");
		return 2;
	}
	for (int i = first; i < argc && is_done; i++)
		is_done = extract_folder(&work, argv[i]);
	contestants_free(&work.contestants);
	return is_done ? 0 : 1;
}
