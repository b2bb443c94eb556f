#include "daemon/ctl/offline_records.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/ctl/offline_input.h"
#include "daemon/query/bundle_export.h"
#include "daemon/query/stored_text.h"
#include "daemon/query/text_export.h"
#include "daemon/runtime/terminal.h"
#include "template/version_json.h"

bool records_are_wanted(const struct ctl *ctl, bool *is_wrong_out)
{
	static const char *const others[] = {"format", "out",
					     "only-with-metadata"};

	*is_wrong_out = false;
	if (option_text(ctl, "fields") == NULL)
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (option_given(ctl, others[i])) {
			ctl_print_error(ctl,
					"--fields prints records on standard "
					"output; omit --%s",
					others[i]);
			*is_wrong_out = true;
		}
	return true;
}

/* Add the names of the fields of a bundle to the columns, each once. */
static void add_columns(struct record_printer *printer, struct bundle *bundle,
			json_t *known)
{
	const struct bundle_cluster *clusters;
	uint32_t count;

	clusters = bundle_clusters(bundle, &count);
	for (uint32_t c = 0; c < count; c++) {
		bundle_find_fields(bundle, clusters[c].number);
		for (uint32_t s = 0; s < clusters[c].field_set_count; s++)
			for (uint32_t f = 0;
			     f < clusters[c].field_sets[s].count; f++) {
				const struct field_spec *spec =
					&clusters[c].field_sets[s].fields[f];
				const char *name = spec->name;

				/* records are one column */
				if (spec->parent != NO_FIELD ||
				    json_object_get(known, name) != NULL)
					continue;
				json_object_set_new(known, name, json_true());
				json_array_append_new(printer->columns,
						      json_string(name));
			}
	}
}

static void print_head(const struct record_printer *printer)
{
	struct buffer head = {0};
	const json_t *name;
	size_t i;

	buffer_append_text(&head, "file,url,template");
	json_array_foreach(printer->columns, i, name)
	{
		buffer_append_byte(&head, ',');
		csv_append_cell(slice_of(json_string_value(name)), false,
				&head);
	}
	buffer_append_text(&head, "\r\n");
	terminal_print(buffer_slice(&head));
	buffer_free(&head);
}

struct record_printer record_printer_begin(const struct ctl *ctl,
					   struct bundle *const *bundles,
					   size_t count)
{
	struct record_printer printer = {
		.is_csv = strcmp(option_text(ctl, "fields"), "csv") == 0,
		.columns = json_array(),
	};
	json_t *known = json_object();

	for (size_t i = 0; i < count; i++)
		add_columns(&printer, bundles[i], known);
	json_decref(known);
	if (printer.is_csv)
		print_head(&printer);
	return printer;
}

static void append_csv(const struct record_printer *printer, const json_t *line,
		       struct buffer *out)
{
	static const char *const members[] = {"file", "url", "template"};
	const json_t *fields = json_object_get(line, "fields");
	const json_t *name;
	size_t i;

	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (i > 0)
			buffer_append_byte(out, ',');
		csv_append_value(json_object_get(line, members[i]), false, out);
	}
	json_array_foreach(printer->columns, i, name)
	{
		buffer_append_byte(out, ',');
		csv_append_value(
			json_object_get(fields, json_string_value(name)), false,
			out);
	}
	buffer_append_text(out, "\r\n");
}

static void append_json(const json_t *line, struct buffer *out)
{
	char *text = json_dumps(line, JSON_COMPACT);

	buffer_append_text(out, text == NULL ? "{}" : text);
	buffer_append_byte(out, '\n');
	free(text);
}

/*
 * Remove a field; of records, the whole records: "comments.author" is in
 * "comments".
 */
static void record_remove(json_t *fields, const char *name)
{
	const char *point = name;
	char top[MAX_FIELD_NAME + 1];

	json_object_del(fields, name);
	while ((point = strchr(point, '.')) != NULL &&
	       point - name <= MAX_FIELD_NAME) {
		snprintf(top, sizeof(top), "%.*s", (int)(point - name), name);
		if (json_is_object(
			    json_array_get(json_object_get(fields, top), 0)))
			json_object_del(fields, top);
		point++;
	}
}

/* Remove the values of unsure fields, for which CSV has no mark. */
static void remove_unsure(json_t *fields)
{
	json_t *unsure = json_object_get(fields, "_unsure");
	const json_t *name;
	size_t i;

	json_array_foreach(unsure, i, name)
		record_remove(fields, json_string_value(name));
}

enum error record_append(const struct record_printer *printer,
			 struct bundle *bundle, const struct page_item *item,
			 const struct text_request *request, struct buffer *out)
{
	struct slice host = slice_of(bundle_site_of(bundle)->host);
	json_t *fields = json_object();
	uint32_t cluster;
	enum error error = bundle_record(bundle, request, &cluster, fields);
	bool has_url = request->url != NULL &&
		       strcmp(request->url->host, OFFLINE_HOST) != 0;
	json_t *line = json_pack(
		"{s:o, s:s?, s:o, s:o}", "file",
		json_text(buffer_slice(&item->name)), "url",
		has_url ? request->url->text : NULL, "template",
		cluster == 0 ? json_null() : json_cluster_id(host, cluster),
		"fields", fields);

	if (cluster != 0 && printer->by_template != NULL)
		atomic_fetch_add(printer->by_template, 1);
	if (error == ERR_NONE && printer->is_csv) {
		remove_unsure(fields);
		append_csv(printer, line, out);
	} else if (error == ERR_NONE) {
		append_json(line, out);
	}
	json_decref(line);
	return error;
}

void record_printer_free(struct record_printer *printer)
{
	json_decref(printer->columns);
	*printer = (struct record_printer){0};
}

static struct bundle *record_sites_find(const struct record_sites *sites,
					const char *host)
{
	for (size_t i = 0; i < sites->count; i++)
		if (strcmp(bundle_site_of(sites->bundles[i])->host, host) == 0)
			return sites->bundles[i];
	return NULL;
}

/* Export a site of the store and open it. On failure print an error. */
static bool record_sites_add(const struct ctl *ctl, const char *host,
			     struct record_sites *sites)
{
	const struct bundle_export_options options = {
		.host = host,
		.rules = &sites->site->rules,
		.program = "templatectl",
		.max_bytes = BUNDLE_MAX_BYTES,
	};
	struct buffer file = {0};
	char reason[BUNDLE_REASON_BYTES] = "";
	struct bundle *bundle = NULL;
	enum error error =
		bundle_export(sites->site->store, &options, &file, reason);

	if (error == ERR_NONE)
		error = bundle_open(&bundle, &file, &bundle_limits_default,
				    reason);
	buffer_free(&file);
	if (error != ERR_NONE) {
		ctl_print_error(ctl, "%s: %s", host,
				*reason == '\0' ? error_text(error) : reason);
		return false;
	}
	sites->bundles = mem_grow(sites->bundles, sites->count,
				  &sites->capacity, sizeof(struct bundle *));
	sites->bundles[sites->count++] = bundle;
	return true;
}

bool record_sites_open(const struct ctl *ctl, const struct offline_site *site,
		       struct record_sites *sites_out)
{
	sites_out->site = site;
	for (size_t i = 0; i < site->count; i++) {
		struct url url;

		if (site->pages[i].url == NULL ||
		    url_parse(&url, slice_of(site->pages[i].url), NULL) !=
			    ERR_NONE ||
		    record_sites_find(sites_out, url.host) != NULL)
			continue;
		if (!record_sites_add(ctl, url.host, sites_out))
			return false;
	}
	sites_out->printer =
		record_printer_begin(ctl, sites_out->bundles, sites_out->count);
	return true;
}

enum error record_sites_append(const struct record_sites *sites,
			       const struct page_item *item,
			       const struct text_request *request,
			       struct buffer *out)
{
	const struct offline_site *site = sites->site;
	struct text_request placed = *request;
	struct extraction_result unused = {0};
	struct copied_page copy = {0};
	struct url url;
	enum error error =
		url_parse(&url, slice_of(site->pages[item->index].url), NULL);

	if (error == ERR_NONE)
		error = copied_page_read(site->store, &site->rules, &url, &copy,
					 &unused);
	placed.url = &url;
	placed.body = buffer_slice(&copy.body);
	placed.charset = copy.known.charset;
	if (error == ERR_NONE)
		error = record_append(&sites->printer,
				      record_sites_find(sites, url.host), item,
				      &placed, out);
	copied_page_close(&copy);
	extraction_result_free(&unused);
	return error;
}

void record_sites_close(struct record_sites *sites)
{
	for (size_t i = 0; i < sites->count; i++)
		bundle_close(sites->bundles[i]);
	free(sites->bundles);
	record_printer_free(&sites->printer);
	*sites = (struct record_sites){0};
}
