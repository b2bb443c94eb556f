#include "daemon/query/bundling.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/compress.h"
#include "crawl/url.h"
#include "daemon/query/bundling_parts.h"
#include "daemon/query/site_model.h"
#include "daemon/query/stored_page.h"
#include "extract/core/extractor.h"
#include "extract/methods/ridge_model.h"
#include "store/key.h"
#include "store/rows_cluster.h"
#include "store/rows_template.h"
#include "template/learning.h"

enum { MAX_REASON = 256, MAX_VERSION_BYTES = 64 << 20 };

bool bundle_exporter_has_failed(struct bundle_exporter *bundler)
{
	if (bundle_is_full(&bundler->writer))
		txn_fail(bundler->txn, ERR_TOO_LARGE);
	return bundler->txn->error != ERR_NONE;
}

static void bundle_export_site(struct bundle_exporter *bundler)
{
	const struct bundle_export_options *bundling = bundler->bundling;
	const struct extraction_options *rules = bundling->rules;
	struct buffer base = {0};
	struct url seed;

	if (url_parse(&seed, bundler->site.seed, NULL) != ERR_NONE ||
	    bundler->site.options.measure >= MEASURE_COUNT) {
		txn_fail(bundler->txn, ERR_CORRUPT);
		return;
	}
	buffer_printf(&base, "%s/", seed.authority);
	bundle_put_site(
		&bundler->writer,
		&(struct bundle_site){
			.host = bundling->host,
			.base = base.data,
			.measure = (enum measure)bundler->site.options.measure,
			.width = bundler->site.options.width,
			.threshold = bundler->site.options.threshold,
			.generation = bundler->site.generation,
			.made_ms = bundling->now_ms,
			.program = bundling->program,
			.limits = rules->limits,
			.min_cluster_pages = rules->min_cluster_pages,
			.settings =
				rules->settings == NULL ? "" : rules->settings,
		});
	buffer_free(&base);
}

/*
 * Add the site's model. An invalid model is an error here, because otherwise
 * every user of the bundle would get it.
 */
static void put_model(struct bundle_exporter *bundler, char *reason)
{
	struct ridge_model *model = NULL;
	struct buffer path = {0};
	struct buffer text = {0};
	enum error error =
		site_model_read(bundler->bundling->rules->models,
				bundler->bundling->host, &path, &text);

	if (error == ERR_NONE && text.data != NULL)
		error = ridge_model_read(&model, buffer_slice(&text));
	if (error == ERR_NONE && text.data != NULL)
		bundle_put_model(&bundler->writer, buffer_slice(&text));
	if (error != ERR_NONE) {
		snprintf(reason, MAX_REASON,
			 "%.150s: %s; train the model again or remove it",
			 path.data, error_text(error));
		txn_fail(bundler->txn, error);
	}
	ridge_model_destroy(model);
	buffer_free(&path);
	buffer_free(&text);
}

/*
 * Add the pages that models are built from, as stored_pages_sample() selects
 * them.
 */
static void put_samples_of(struct bundle_exporter *bundler, uint32_t cluster)
{
	const struct stored_pages from = {
		.txn = bundler->txn,
		.site = bundler->site.id,
		.cluster = cluster,
	};
	uint64_t keys[MAX_SAMPLE_PAGES];
	uint32_t found = stored_pages_find(&from, MAX_SAMPLE_PAGES, keys);
	struct buffer body = {0};
	uint64_t bytes = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < found && (count < MIN_SAMPLE_PAGES ||
					   bytes <= MAX_SAMPLE_BYTES);
	     i++) {
		struct page_row row;

		buffer_clear(&body);
		if (!page_row_get(from.txn, from.site, keys[i], &row) ||
		    stored_page_body(&from, keys[i], &row, &body) != ERR_NONE)
			continue;
		bundle_put_sample(&bundler->writer, cluster, row.charset,
				  buffer_slice(&body));
		bytes += body.size;
		count++;
	}
	buffer_free(&body);
}

static void put_version_of(struct bundle_exporter *bundler, uint32_t cluster)
{
	struct template_row row;
	struct version_row version;
	struct buffer json = {0};

	if (!template_row_get(bundler->txn, bundler->site.id, cluster, &row) ||
	    !version_row_get(bundler->txn, bundler->site.id, cluster,
			     row.version, &version))
		return;
	if (decompress_slice(version.packed, MAX_VERSION_BYTES, &json) ==
	    ERR_NONE)
		bundle_put_version(&bundler->writer, cluster, row.version,
				   buffer_slice(&json));
	else
		txn_fail(bundler->txn, ERR_CORRUPT);
	buffer_free(&json);
}

/*
 * Also add samples of clusters that are one page too small: a submitted page
 * may make the cluster large enough for a template.
 */
static void put_samples(struct bundle_exporter *bundler, uint32_t cluster,
			const struct cluster_row *row)
{
	if (row->page_count + 1 >= bundler->bundling->rules->min_cluster_pages)
		put_samples_of(bundler, cluster);
}

static void bundle_export_version(struct bundle_exporter *bundler,
				  uint32_t cluster,
				  const struct cluster_row *row)
{
	(void)row;
	put_version_of(bundler, cluster);
}

/* Call `put` for every cluster of the site, ascending. */
static void each_cluster(struct bundle_exporter *bundler,
			 void (*put)(struct bundle_exporter *bundler,
				     uint32_t cluster,
				     const struct cluster_row *row))
{
	struct key prefix = key_site(bundler->site.id);
	struct scan scan =
		scan_begin(bundler->txn, TABLE_CLUSTERS, key_slice(&prefix));
	struct cluster_row row;

	while (!bundle_exporter_has_failed(bundler) && scan_next(&scan))
		if (cluster_row_decode(scan.value, &row))
			put(bundler, key_u32(scan.key, sizeof(uint32_t)), &row);
	scan_end(&scan);
}

static void put_all(struct bundle_exporter *bundler, char *reason)
{
	bundle_export_site(bundler);
	put_model(bundler, reason);
	if (!bundle_exporter_has_failed(bundler))
		bundle_exporter_put_signatures(bundler);
	if (!bundle_exporter_has_failed(bundler))
		bundle_exporter_put_pages(bundler);
	each_cluster(bundler, put_samples);
	each_cluster(bundler, bundle_export_version);
}

enum error bundle_export(struct store *store,
			 const struct bundle_export_options *bundling,
			 struct buffer *out, char *reason)
{
	struct txn txn = txn_begin_read(store);
	struct bundle_exporter bundler = {
		.bundling = bundling,
		.txn = &txn,
		.writer = {.max_bytes = bundling->max_bytes},
	};
	enum error error;

	reason[0] = '\0';
	if (site_get(&txn, slice_of(bundling->host), &bundler.site))
		put_all(&bundler, reason);
	else
		txn_fail(&txn, ERR_NOT_FOUND);
	error = txn.error;
	txn_abort(&txn);
	if (error == ERR_NONE)
		error = bundle_end(&bundler.writer, out);
	bundle_writer_free(&bundler.writer);
	if (error == ERR_TOO_LARGE)
		snprintf(reason, MAX_REASON,
			 "the bundle exceeds %zu bytes; raise "
			 "extract.max_bundle_size",
			 bundling->max_bytes);
	return error;
}
