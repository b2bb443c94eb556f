#include "daemon/watch/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "crawl/url/url.h"
#include "daemon/query/stored_site.h"
#include "store/key.h"
#include "store/rows.h"
#include "template/template_name.h"

enum {
	MAX_TITLE_BYTES = 200,
	/* clusters with names whose titles show what all titles share */
	NAMES_OTHER_TITLES = 32,
};

/* A cluster of the site, its row, and whether its name must be checked. */
struct cluster_name {
	uint32_t cluster;
	uint32_t page_count;
	bool has_row;
	bool is_due;
	struct name_row row; /* its texts are in the arena */
};

/* The names of a site that are being made. */
struct name_reader {
	struct store *store;
	uint32_t site;
	struct arena *arena;
	struct cluster_name *names;     /* [count], ascending by cluster */
	struct named_cluster *clusters; /* [count], the same clusters */
	size_t count;
	struct name_update *updates; /* [update_count] */
	size_t update_count;
};

/*
 * Return whether to derive or check the name: there is none, or the number of
 * pages has doubled or halved since.
 */
static bool name_is_due(const struct cluster_name *name)
{
	if (!name->has_row || name->row.name.size == 0)
		return true;
	return (name->row.flags & NAME_IS_GIVEN) == 0 &&
	       (name->page_count >= 2 * (uint64_t)name->row.page_count ||
		2 * (uint64_t)name->page_count <= name->row.page_count);
}

static void names_put_update(struct name_reader *reader,
			     const struct name_update *update)
{
	if (reader->update_count < NAMES_MAX_UPDATES)
		reader->updates[reader->update_count++] = *update;
}

/*
 * Read the rows of the names. Delete those of clusters that are neither in the
 * store nor templates.
 */
static void names_read_rows(struct name_reader *reader, struct txn *txn,
			    const struct site_facts *site)
{
	struct scan scan = scan_site(txn, TABLE_NAMES, reader->site);
	struct name_row row;
	size_t at = 0;

	while (scan_next(&scan)) {
		uint32_t cluster = key_u32(scan.key, sizeof(uint32_t));
		struct template_view key = {.cluster = cluster};

		while (at < reader->count &&
		       reader->names[at].cluster < cluster)
			at++;
		if (at < reader->count &&
		    reader->names[at].cluster == cluster &&
		    name_row_decode(scan.value, &row)) {
			row.name = arena_slice(reader->arena, row.name);
			row.pattern = arena_slice(reader->arena, row.pattern);
			reader->names[at].has_row = true;
			reader->names[at].row = row;
		} else if (site->subject_count == 0 ||
			   bsearch(&key, site->subjects, site->subject_count,
				   sizeof(key), order_u32) == NULL) {
			names_put_update(reader, &(struct name_update){
							 .cluster = cluster,
							 .is_deleted = true});
		}
	}
	scan_end(&scan);
}

/*
 * Read the sample of a cluster: the pages with the lowest keys, which are
 * hashes of URLs. Read only titles if `max` is 0.
 */
static void names_read_pages(struct name_reader *reader, struct txn *txn,
			     size_t index, size_t max)
{
	struct named_cluster *cluster = &reader->clusters[index];
	struct scan scan = scan_cluster(txn, TABLE_MEMBERS, reader->site,
					reader->names[index].cluster);
	struct named_page *pages =
		ARENA_NEW(reader->arena, struct named_page, max);
	struct slice *titles =
		ARENA_NEW(reader->arena, struct slice, NAME_SAMPLE_TITLES);
	struct page_row row;

	while ((cluster->sample_count < max ||
		cluster->title_count < NAME_SAMPLE_TITLES) &&
	       scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, 2 * sizeof(uint32_t));
		struct url url;

		if (!page_row_get(txn, reader->site, page, &row) ||
		    url_parse(&url, row.url, NULL) != ERR_NONE)
			continue;
		if (cluster->sample_count < max)
			pages[cluster->sample_count++] = (struct named_page){
				arena_slice(reader->arena,
					    slice_of(url.text + url.path)),
				page_row_kind(&row)};
		if (cluster->title_count < NAME_SAMPLE_TITLES)
			titles[cluster->title_count++] = utf8_truncate(
				stored_page_title(reader->arena, txn,
						  reader->site, page),
				MAX_TITLE_BYTES);
	}
	scan_end(&scan);
	cluster->pages = pages;
	cluster->titles = titles;
}

/*
 * Read the pages of the clusters whose names are due, and titles of a few
 * others. One transaction for each cluster.
 */
static enum error names_read_clusters(struct name_reader *reader)
{
	enum error error = ERR_NONE;
	size_t others = 0;

	for (size_t i = 0; i < reader->count && error == ERR_NONE; i++) {
		bool is_due = reader->names[i].is_due;
		struct txn txn;

		if (!is_due && others++ >= NAMES_OTHER_TITLES)
			continue;
		txn = txn_begin_read(reader->store);
		names_read_pages(reader, &txn, i,
				 is_due ? NAME_SAMPLE_PAGES : 0);
		error = txn_end(&txn);
	}
	return error;
}

/* Keep the names that still fit, and derive the others. */
static void names_decide(struct name_reader *reader)
{
	for (size_t i = 0; i < reader->count; i++) {
		const struct cluster_name *name = &reader->names[i];
		struct named_cluster *cluster = &reader->clusters[i];

		if (!name->has_row)
			continue;
		cluster->name = name->row.name;
		cluster->pattern = name->row.pattern;
		cluster->kind = name->row.kind;
		if (name->is_due && cluster->sample_count > 0 &&
		    !template_name_fits(cluster))
			cluster->name = (struct slice){0};
	}
	template_names_derive(reader->arena, reader->clusters, reader->count);
	for (size_t i = 0; i < reader->count; i++) {
		const struct named_cluster *cluster = &reader->clusters[i];

		if (!reader->names[i].is_due || cluster->name.size == 0)
			continue;
		names_put_update(
			reader,
			&(struct name_update){
				.cluster = reader->names[i].cluster,
				.row = {.page_count = cluster->page_count,
					.kind = (uint16_t)cluster->kind,
					.name = cluster->name,
					.pattern = cluster->pattern}});
	}
}

static struct cluster_name *names_find(struct name_reader *reader,
				       uint32_t cluster)
{
	size_t at;

	LOWER_BOUND(at, reader->count, reader->names[at].cluster < cluster);
	return at < reader->count && reader->names[at].cluster == cluster
		       ? &reader->names[at]
		       : NULL;
}

/* Move the name of an ended template to the one that has replaced it. */
static void names_move(struct name_reader *reader, uint32_t ended,
		       const struct name_row *row, struct cluster_name *next)
{
	struct cluster_name *own = names_find(reader, ended);
	struct name_update from = {.cluster = ended,
				   .is_deleted = own != NULL,
				   .is_moved = true,
				   .row = *row};

	from.row.flags = 0;
	next->has_row = true;
	next->row = (struct name_row){
		.flags = NAME_IS_GIVEN,
		.name = arena_slice(reader->arena, row->name),
	};
	from.row.name = next->row.name;
	from.row.pattern = (struct slice){0};
	if (own != NULL)
		own->has_row = false;
	names_put_update(reader, &from);
	names_put_update(reader, &(struct name_update){.cluster = next->cluster,
						       .is_moved = true,
						       .row = next->row});
}

/* Move the names that clients have given to replaced templates. */
static void names_move_given(struct name_reader *reader, struct txn *txn,
			     const struct site_facts *site)
{
	for (size_t i = 0; i < site->subject_count; i++) {
		const struct template_view *subject = &site->subjects[i];
		struct cluster_name *next;
		struct name_row row;

		if (!subject->has_row ||
		    subject->row.state != TEMPLATE_REPLACED)
			continue;
		next = names_find(reader, subject->row.other);
		/* the name leaves one cluster only if it reaches the other */
		if (next != NULL &&
		    reader->update_count + 2 <= NAMES_MAX_UPDATES &&
		    (!next->has_row ||
		     (next->row.flags & NAME_IS_GIVEN) == 0) &&
		    name_row_get(txn, reader->site, subject->cluster, &row) &&
		    (row.flags & NAME_IS_GIVEN) != 0)
			names_move(reader, subject->cluster, &row, next);
	}
}

/* List the clusters of the site and read the rows of their names. */
static enum error names_begin(struct name_reader *reader,
			      const struct site_facts *site)
{
	struct txn txn = txn_begin_read(reader->store);

	for (size_t i = 0; i < site->subject_count; i++) {
		const struct template_view *subject = &site->subjects[i];

		if (subject->has_cluster && subject->cluster_row.page_count > 0)
			reader->names[reader->count++] = (struct cluster_name){
				.cluster = subject->cluster,
				.page_count = subject->cluster_row.page_count};
	}
	names_read_rows(reader, &txn, site);
	names_move_given(reader, &txn, site);
	return txn_end(&txn);
}

enum error site_names_make(struct store *store, const struct site_facts *site,
			   struct arena *arena,
			   struct template_updates *updates)
{
	struct name_reader reader = {
		.store = store,
		.site = site->row.id,
		.arena = arena,
		.names = ARENA_NEW(arena, struct cluster_name,
				   site->subject_count),
		.updates =
			ARENA_NEW(arena, struct name_update, NAMES_MAX_UPDATES),
	};
	enum error error = names_begin(&reader, site);
	bool is_due = false;

	for (size_t i = 0; i < reader.count; i++)
		is_due |= reader.names[i].is_due =
			name_is_due(&reader.names[i]);
	if (error == ERR_NONE && is_due) {
		reader.clusters =
			ARENA_NEW(arena, struct named_cluster, reader.count);
		for (size_t i = 0; i < reader.count; i++)
			reader.clusters[i].page_count =
				reader.names[i].page_count;
		error = names_read_clusters(&reader);
	}
	if (error == ERR_NONE && is_due)
		names_decide(&reader);
	updates->names = reader.updates;
	updates->name_count = reader.update_count;
	return error;
}
