#include "daemon/api/site_json.h"

#include "cluster/signature.h"
#include "crawl/admission.h"
#include "daemon/engine/site_option.h"
#include "daemon/engine/site_threshold.h"
#include "page/page_class.h"
#include "store/key.h"
#include "store/sealed.h"
#include "template/json_value.h"

static uint32_t count_clusters(struct txn *txn, uint32_t site)
{
	struct key prefix = key_site(site);
	struct scan scan = scan_begin(txn, TABLE_CLUSTERS, key_slice(&prefix));
	uint32_t count = 0;

	while (scan_next(&scan))
		count++;
	scan_end(&scan);
	return count;
}

/* Return whether the site needs some credentials again. */
static bool is_locked(const struct txn *txn, const struct site_row *row)
{
	return !secret_text_read(txn->store, row->options.headers, NULL) ||
	       !secret_text_read(txn->store, row->options.proxy, NULL);
}

static const char *site_json_state(const struct txn *txn,
				   const struct site_row *row)
{
	if (is_locked(txn, row))
		return "no_credentials";
	if (row->pending_count > 0)
		return "crawling";
	return site_wants_threshold(row) ? "selecting" : "watching";
}

static json_t *site_json_whole(uint64_t number)
{
	return json_integer((json_int_t)number);
}

static void site_json_add_counts(json_t *value, struct txn *txn,
				 const struct site_row *row)
{
	const struct {
		const char *name;
		uint64_t count;
	} counts[] = {
		{"pages", row->page_count},
		{"clusters", count_clusters(txn, row->id)},
		{"found", row->found_count},
		{"pending", row->pending_count},
		{"fetched", row->fetched_count},
		{"failed", row->failed_count},
		{"skipped", row->skipped_count},
		{"tried", row->tried_count},
		{"sitemap_files", row->sitemap_count},
		{"spent_bytes", row->spent_bytes},
		{"spent_ms", row->spent_ms},
		{"generation", row->generation},
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		json_object_set_new(value, counts[i].name,
				    site_json_whole(counts[i].count));
}

static json_t *classes_json(const struct site_row *row)
{
	json_t *value = json_object();

	for (unsigned c = 0; c < SITE_CLASSES; c++)
		if (row->class_counts[c] > 0)
			json_object_set_new(
				value, page_class_name(c),
				site_json_whole(row->class_counts[c]));
	return value;
}

static json_t *site_option_json(const struct site_option *option,
				const struct site_options *options)
{
	const char *measure = measure_name(options->measure);

	switch (option->kind) {
	case OPTION_FLAG:
		return json_boolean(site_option_get(option, options));
	case OPTION_MEASURE:
		return json_string(measure == NULL ? "?" : measure);
	case OPTION_THRESHOLD:
		return json_real((double)site_option_get(option, options) /
				 1000.0);
	case OPTION_HEADERS:
	case OPTION_TEXT:
		return json_text_or_null(secret_text_redacted(
			site_option_text(option, options)));
	default:
		return site_json_whole(site_option_get(option, options));
	}
}

static void site_json_add_options(json_t *value,
				  const struct site_options *options)
{
	for (size_t i = 0; i < SITE_OPTIONS; i++)
		json_object_set_new(
			value, site_option_table[i].name,
			site_option_json(&site_option_table[i], options));
}

json_t *site_json(struct txn *txn, const struct site_row *row)
{
	json_t *value = json_pack(
		"{s:o, s:o, s:o, s:s}", "host", json_text(row->host), "url",
		json_text(row->seed), "added", json_time(row->added_ms),
		"state", site_json_state(txn, row));

	json_object_set_new(value, "seen", json_time(row->seen_ms));
	site_json_add_counts(value, txn, row);
	json_object_set_new(value, "classes", classes_json(row));
	site_json_add_options(value, &row->options);
	return value;
}

/*
 * Return the state of a pattern as a word: whether more of its pages are
 * visited.
 */
static const char *state_of_pattern(const struct site_row *site,
				    const struct pattern_row *row,
				    uint32_t max_pattern)
{
	uint32_t factor =
		(row->flags & PATTERN_IS_COARSE) != 0 ? COARSE_FACTOR : 1;

	if (site->options.saturation > 0 &&
	    row->quiet / factor >= site->options.saturation)
		return "saturated";
	if (row->tried / factor >= max_pattern)
		return "exhausted";
	return row->tried < row->found ? "open" : "complete";
}

json_t *pattern_json(const struct site_row *site, const struct pattern_row *row,
		     uint32_t max_pattern)
{
	bool is_coarse = (row->flags & PATTERN_IS_COARSE) != 0;

	return json_pack(
		"{s:o, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:s}", "pattern",
		json_text(row->text), "kind", is_coarse ? "coarse" : "fine",
		"found", (json_int_t)row->found, "visited",
		(json_int_t)row->tried, "learned", (json_int_t)row->learned,
		"quiet", (json_int_t)row->quiet, "news",
		json_time(row->changed_ms), "cluster",
		json_cluster_id(site->host, row->cluster), "state",
		state_of_pattern(site, row, max_pattern));
}
