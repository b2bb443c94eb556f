#include "tests/bench/cluster.h"

#include <stdio.h>

enum { MAX_BYTES = 10 << 20 };

struct page *cluster_read(const struct cluster *cluster, size_t index,
			  struct buffer *body)
{
	struct page *page = NULL;
	struct buffer path = {0};

	buffer_clear(body);
	buffer_printf(&path, "%s/%s", cluster->folder,
		      cluster->list.paths[index]);
	if (file_read(path.data, MAX_BYTES, body) == ERR_NONE)
		(void)page_parse(&page, buffer_slice(body), slice_of(NULL),
				 &page_limits_default);
	buffer_free(&path);
	return page;
}

static bool is_sampled(size_t index, size_t count)
{
	return count <= MAX_SAMPLE_PAGES ||
	       index * MAX_SAMPLE_PAGES / count !=
		       (index + 1) * MAX_SAMPLE_PAGES / count;
}

static void know(struct cluster *cluster)
{
	struct buffer body = {0};

	for (size_t i = 0; i < cluster->list.count; i++) {
		struct page *page = cluster_read(cluster, i, &body);

		if (page == NULL)
			continue;
		cluster->page_count++;
		frequencies_add(&cluster->frequencies, page);
		if (is_sampled(i, cluster->list.count))
			cluster->sampled[cluster->sample_count++] = page;
		else
			page_destroy(page);
	}
	buffer_free(&body);
	frequencies_seal(&cluster->frequencies);
}

bool cluster_open(struct cluster *cluster, const char *folder, bool is_known)
{
	static const char *const endings[] = {".html", ".htm", ".html.gz",
					      ".htm.gz", NULL};
	enum error error;

	*cluster = (struct cluster){.folder = folder};
	error = file_list(folder, endings, &cluster->list);
	if (error != ERR_NONE)
		fprintf(stderr, "%s: %s\n", folder, error_text(error));
	else if (is_known)
		know(cluster);
	return error == ERR_NONE;
}

void cluster_close(struct cluster *cluster)
{
	for (uint32_t i = 0; i < cluster->sample_count; i++)
		page_destroy(cluster->sampled[i]);
	frequencies_free(&cluster->frequencies);
	file_list_free(&cluster->list);
}

struct sample cluster_sample(const struct cluster *cluster)
{
	return (struct sample){
		.pages = (const struct page *const *)cluster->sampled,
		.count = cluster->sample_count,
	};
}

struct template_counts cluster_counts(const struct cluster *cluster,
				      const struct page *page)
{
	return (struct template_counts){
		.page_count = cluster->page_count,
		.document_frequency =
			frequencies_of(&cluster->frequencies, page),
	};
}
