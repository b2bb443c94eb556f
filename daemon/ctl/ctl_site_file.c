#include "daemon/ctl/ctl_site_file.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "crawl/url/url.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/yaml_json.h"

/*
 * The members of a site that a request may set, in the order of the file. The
 * threshold is handled separately.
 */
static const char *const site_members[] = {
	"url",
	"max_pages",
	"max_depth",
	"max_bytes",
	"max_seconds",
	"delay_ms",
	"measure",
	"shingle_width",
	"revisit_interval_s",
	"check_interval_s",
	"pattern_stop_after",
	"include",
	"exclude",
	"sitemaps",
	"soft_404_probe",
	"cookies",
	"render",
	"render_wait",
	"render_click",
	"render_scroll",
	"allow_private",
};

static json_t *site_file_ask(const struct ctl *ctl, const char *host,
			     const char *what, enum ctl_status *status)
{
	struct buffer target = {0};
	json_t *answer = NULL;

	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, host);
	buffer_append_text(&target, what);
	if (*status == CTL_DONE)
		*status =
			client_ask_value(ctl, NULL, target.data, NULL, &answer);
	buffer_free(&target);
	return answer;
}

/*
 * Set the member "page" to an example page of the template `id`, by which the
 * template can be found in another store. Do nothing if `id` is NULL.
 */
static void site_file_set_page(json_t *object, const json_t *templates,
			       const char *id)
{
	const json_t *row;
	size_t i;

	json_array_foreach(templates, i, row)
	{
		const json_t *sample = json_object_get(row, "sample");

		if (id != NULL && strcmp(field_text(row, "id"), id) == 0 &&
		    json_array_size(sample) > 0)
			json_object_set(
				object, "page",
				json_object_get(json_array_get(sample, 0),
						"url"));
	}
}

static const char *site_file_cluster(const json_t *row)
{
	return json_string_value(json_object_get(row, "cluster"));
}

static void site_file_copy(json_t *to, const json_t *from, const char *name)
{
	json_t *value = json_object_get(from, name);

	if (value != NULL && !json_is_null(value))
		json_object_set(to, name, value);
}

static json_t *site_file_names(const json_t *templates)
{
	json_t *names = json_array();
	const json_t *row;
	size_t i;

	json_array_foreach(templates, i, row)
	{
		json_t *name = json_object();

		site_file_copy(name, row, "name");
		site_file_set_page(name, templates, field_text(row, "id"));
		if (json_is_true(json_object_get(row, "renamed")))
			json_array_append(names, name);
		json_decref(name);
	}
	return names;
}

static json_t *site_file_guards(const json_t *guards, const json_t *templates)
{
	json_t *out = json_array();
	const json_t *row;
	size_t i;

	json_array_foreach(guards, i, row)
	{
		json_t *guard = json_object();

		json_object_set(guard, field_text(row, "language"),
				json_object_get(row, "selector"));
		site_file_copy(guard, row, "expect");
		site_file_copy(guard, row, "name");
		site_file_set_page(guard, templates, site_file_cluster(row));
		json_array_append_new(out, guard);
	}
	return out;
}

/* Return the guard with this number; NULL if it does not exist. */
static const json_t *site_file_guard(const json_t *guards, uint64_t number)
{
	const json_t *row;
	size_t i;

	json_array_foreach(guards, i, row)
	{
		if (field_whole(row, "id") == number)
			return row;
	}
	return NULL;
}

static json_t *site_file_silences(const json_t *silences, const char *host,
				  const json_t *guards, const json_t *templates)
{
	json_t *out = json_array();
	const json_t *row;
	size_t i;

	json_array_foreach(silences, i, row)
	{
		const json_t *guard =
			site_file_guard(guards, field_whole(row, "guard"));
		json_t *silence;

		if (strcmp(field_text(row, "site"), host) != 0)
			continue;
		silence = json_object();
		site_file_copy(silence, row, "kind");
		if (guard != NULL)
			json_object_set(silence, "guard",
					json_object_get(guard, "selector"));
		site_file_set_page(silence, templates, site_file_cluster(row));
		json_array_append_new(out, silence);
	}
	return out;
}

static void site_file_set_list(json_t *site, const char *name, json_t *list)
{
	if (json_array_size(list) > 0)
		json_object_set(site, name, list);
	json_decref(list);
}

/* Return the site with what belongs to it, as it is in the file. */
static json_t *site_file_site(const struct ctl *ctl, const json_t *row,
			      const json_t *silences, enum ctl_status *status)
{
	const char *host = field_text(row, "host");
	json_t *clusters = site_file_ask(ctl, host, "/templates", status);
	json_t *listed = site_file_ask(ctl, host, "/guards", status);
	const json_t *templates = json_object_get(clusters, "templates");
	const json_t *guards = json_object_get(listed, "guards");
	json_t *site = json_object();

	for (size_t i = 0; i < sizeof(site_members) / sizeof(site_members[0]);
	     i++)
		site_file_copy(site, row, site_members[i]);
	if (!json_is_true(json_object_get(row, "auto")))
		site_file_copy(site, row, "threshold");
	site_file_set_list(site, "names", site_file_names(templates));
	site_file_set_list(site, "guards", site_file_guards(guards, templates));
	site_file_set_list(
		site, "silences",
		site_file_silences(silences, host, guards, templates));
	json_decref(clusters);
	json_decref(listed);
	return site;
}

static bool site_file_is_wanted(const struct ctl *ctl, const json_t *site)
{
	if (json_is_true(json_object_get(site, "sample")) ||
	    json_is_true(json_object_get(site, "offline")))
		return false;
	for (size_t i = 0; i < ctl->operand_count; i++)
		if (strcmp(field_text(site, "host"), ctl->operands[i]) == 0)
			return true;
	return ctl->operand_count == 0;
}

/*
 * Headers and proxies are secrets, so the file contains only the names of the
 * headers, as comments.
 */
static void site_file_append_secrets(struct buffer *out, const json_t *site)
{
	const char *headers =
		json_string_value(json_object_get(site, "headers"));
	const char *proxy = json_string_value(json_object_get(site, "proxy"));
	const char *host = field_text(site, "host");

	while (headers != NULL && *headers != '\0') {
		size_t name = strcspn(headers, ":\n");

		buffer_printf(out, "# %s: set its header %.*s again\n", host,
			      (int)name, headers);
		headers += strcspn(headers, "\n");
		headers += *headers == '\n';
	}
	if (proxy != NULL)
		buffer_printf(out, "# %s: set its proxy again\n", host);
}

enum ctl_status run_site_export(const struct ctl *ctl)
{
	const char *path = option_text(ctl, "out");
	json_t *answer = NULL;
	json_t *silences = NULL;
	json_t *sites = json_array();
	struct buffer text = {0};
	enum ctl_status status = client_ask_sites(ctl, &answer);
	const json_t *row;
	size_t i;

	if (status == CTL_DONE)
		status = client_ask_value(ctl, NULL, "/v1/silences", NULL,
					  &silences);
	json_array_foreach(json_object_get(answer, "sites"), i, row)
	{
		if (status != CTL_DONE || !site_file_is_wanted(ctl, row))
			continue;
		site_file_append_secrets(&text, row);
		json_array_append_new(
			sites,
			site_file_site(ctl, row,
				       json_object_get(silences, "silences"),
				       &status));
	}
	if (status == CTL_DONE && json_array_size(sites) < ctl->operand_count) {
		ctl_print_error(ctl, "a HOST is not watched");
		status = CTL_FAILED;
	}
	if (json_array_size(sites) > 0) {
		struct buffer secrets = text;

		text = (struct buffer){0};
		buffer_append_text(&text, "sites:\n");
		buffer_append_slice(&text, buffer_slice(&secrets));
		yaml_json_append(&text, sites, 0);
		buffer_free(&secrets);
	} else {
		buffer_append_text(&text, "sites: []\n");
	}
	if (status == CTL_DONE && path != NULL && strcmp(path, "-") != 0)
		status = ctl_write_file(ctl, path, buffer_slice(&text),
					file_replace)
				 ? CTL_DONE
				 : CTL_FAILED;
	else if (status == CTL_DONE)
		fwrite(text.data, 1, text.size, stdout);
	buffer_free(&text);
	json_decref(answer);
	json_decref(silences);
	json_decref(sites);
	return status;
}

bool site_file_begins(const char *line)
{
	return strncmp(line, "sites:", 6) == 0 &&
	       strspn(line + 6, " \t\r\n[]") == strlen(line + 6);
}

/* An import, and what it has added. */
struct site_file {
	const struct ctl *ctl;
	const char *host; /* of the current site */
	json_t *guards;   /* of the current site */
	json_t *silences;
	uint64_t sites;
	uint64_t added;
	uint64_t waiting; /* objects of templates that are not there yet */
	uint64_t wrong;
};

static void site_file_post(struct site_file *file, const char *target,
			   const json_t *body)
{
	json_t *answer = NULL;
	enum ctl_status status =
		client_ask_value(file->ctl, "POST", target, body, &answer);

	file->added += status == CTL_DONE;
	file->wrong += status != CTL_DONE;
	json_decref(answer);
}

/*
 * Write the template ("HOST/N") of the object's example page to `id`: "" if the
 * object names no page. Return false if the page is in no template yet.
 */
static bool site_file_find_template(struct site_file *file,
				    const json_t *object,
				    char id[MAX_HOST_BYTES + 16])
{
	const char *page = json_string_value(json_object_get(object, "page"));
	struct buffer target = {0};
	json_t *answer = NULL;
	const char *cluster;

	id[0] = '\0';
	if (page == NULL)
		return true;
	buffer_append_text(&target, "/v1/pages");
	client_append_query(&target, "url", page);
	client_ask_value(file->ctl, NULL, target.data, NULL, &answer);
	cluster = site_file_cluster(json_object_get(answer, "page"));
	if (cluster != NULL)
		snprintf(id, MAX_HOST_BYTES + 16, "%s", cluster);
	buffer_free(&target);
	json_decref(answer);
	return cluster != NULL;
}

static const char *site_file_number(const char *id)
{
	const char *slash = strrchr(id, '/');

	return slash == NULL ? "" : slash + 1;
}

/*
 * Return whether two objects have the same member: equal texts, or none. An
 * empty text counts as none.
 */
static bool site_file_same(const json_t *a, const char *name_a, const char *b)
{
	const char *text = json_string_value(json_object_get(a, name_a));

	return strcmp(text == NULL ? "" : text, b == NULL ? "" : b) == 0;
}

static void site_file_add_name(struct site_file *file, const json_t *wanted,
			       const char *id)
{
	struct buffer target = {0};
	json_t *body = json_object();
	enum ctl_status status = CTL_DONE;
	json_t *answer;

	buffer_printf(&target, "/templates/%s", site_file_number(id));
	answer = site_file_ask(file->ctl, file->host, target.data, &status);
	buffer_clear(&target);
	buffer_printf(&target, "/v1/sites/%s/templates/%s/name", file->host,
		      site_file_number(id));
	site_file_copy(body, wanted, "name");
	if (status == CTL_DONE &&
	    !site_file_same(answer, "name",
			    json_string_value(json_object_get(body, "name"))))
		site_file_post(file, target.data, body);
	json_decref(answer);
	json_decref(body);
	buffer_free(&target);
}

/* Return the guard of the site that equals the wanted one; or NULL. */
static const json_t *site_file_known_guard(const struct site_file *file,
					   const json_t *wanted, const char *id)
{
	const json_t *row;
	size_t i;

	json_array_foreach(file->guards, i, row)
	{
		const char *language = field_text(row, "language");

		if (site_file_same(wanted, language,
				   field_text(row, "selector")) &&
		    (json_object_get(wanted, "expect") == NULL ||
		     site_file_same(wanted, "expect",
				    field_text(row, "expect"))) &&
		    site_file_same(
			    wanted, "name",
			    json_string_value(json_object_get(row, "name"))) &&
		    site_file_same(row, "cluster", id))
			return row;
	}
	return NULL;
}

static void site_file_add_guard(struct site_file *file, const json_t *wanted,
				const char *id)
{
	struct buffer target = {0};
	json_t *body;

	if (site_file_known_guard(file, wanted, id) != NULL)
		return;
	body = json_deep_copy(wanted);
	json_object_del(body, "page");
	if (*id != '\0')
		json_object_set_new(
			body, "cluster",
			json_integer(strtoll(site_file_number(id), NULL, 10)));
	buffer_printf(&target, "/v1/sites/%s/guards", file->host);
	site_file_post(file, target.data, body);
	buffer_free(&target);
	json_decref(body);
}

static void site_file_add_silence(struct site_file *file, const json_t *wanted,
				  const char *id)
{
	const char *selector =
		json_string_value(json_object_get(wanted, "guard"));
	uint64_t guard = 0;
	json_t *body;
	const json_t *row;
	size_t i;

	json_array_foreach(file->guards, i, row)
	{
		if (selector != NULL &&
		    strcmp(field_text(row, "selector"), selector) == 0)
			guard = field_whole(row, "id");
	}
	if (selector != NULL && guard == 0) {
		file->waiting++;
		return;
	}
	json_array_foreach(file->silences, i, row)
	{
		if (strcmp(field_text(row, "site"), file->host) == 0 &&
		    site_file_same(wanted, "kind", field_text(row, "kind")) &&
		    site_file_same(row, "cluster", id) &&
		    field_whole(row, "guard") == guard)
			return;
	}
	body = json_pack("{s:s, s:O}", "site", file->host, "kind",
			 json_object_get(wanted, "kind"));
	if (*id != '\0')
		json_object_set_new(body, "cluster", json_string(id));
	if (guard != 0)
		json_object_set_new(body, "guard",
				    json_integer((json_int_t)guard));
	site_file_post(file, "/v1/silences", body);
	json_decref(body);
}

/* Add the objects of a list of the site with `add`. */
static void site_file_add_list(struct site_file *file, const json_t *list,
			       void (*add)(struct site_file *file,
					   const json_t *wanted,
					   const char *id))
{
	char id[MAX_HOST_BYTES + 16];
	const json_t *wanted;
	size_t i;

	json_array_foreach(list, i, wanted)
	{
		if (!json_is_object(wanted))
			file->wrong++;
		else if (site_file_find_template(file, wanted, id))
			add(file, wanted, id);
		else
			file->waiting++;
	}
}

/* Read again which guards the site has. */
static void site_file_read_guards(struct site_file *file)
{
	enum ctl_status status = CTL_DONE;
	json_t *answer =
		site_file_ask(file->ctl, file->host, "/guards", &status);

	json_decref(file->guards);
	file->guards = json_incref(json_object_get(answer, "guards"));
	json_decref(answer);
}

static void site_file_add_site(struct site_file *file, json_t *site)
{
	const char *text = json_string_value(json_object_get(site, "url"));
	json_t *names = json_incref(json_object_get(site, "names"));
	json_t *guards = json_incref(json_object_get(site, "guards"));
	json_t *silences = json_incref(json_object_get(site, "silences"));
	json_t *answer = NULL;
	struct url url;

	json_object_del(site, "names");
	json_object_del(site, "guards");
	json_object_del(site, "silences");
	if (text == NULL || url_parse_site(&url, slice_of(text)) != ERR_NONE) {
		ctl_print_error(file->ctl, "a site has no valid url");
		file->wrong++;
	} else if (client_ask_value(file->ctl, "POST", "/v1/sites", site,
				    &answer) != CTL_DONE) {
		file->wrong++;
	} else {
		file->sites++;
		file->host = url.host;
		if (names != NULL)
			site_file_add_list(file, names, site_file_add_name);
		site_file_read_guards(file);
		site_file_add_list(file, guards, site_file_add_guard);
		site_file_read_guards(file);
		site_file_add_list(file, silences, site_file_add_silence);
	}
	file->host = NULL;
	json_decref(answer);
	json_decref(names);
	json_decref(guards);
	json_decref(silences);
}

enum ctl_status site_file_import(const struct ctl *ctl, struct slice text)
{
	struct site_file file = {.ctl = ctl};
	char reason[256];
	json_t *document = yaml_json_parse(text, reason);
	json_t *answer = NULL;
	enum ctl_status status;
	json_t *site;
	size_t i;

	if (document == NULL) {
		ctl_print_error(ctl, "not YAML: %s", reason);
		return CTL_FAILED;
	}
	status = client_ask_value(ctl, NULL, "/v1/silences", NULL, &answer);
	file.silences = json_object_get(answer, "silences");
	json_array_foreach(json_object_get(document, "sites"), i, site)
	{
		if (status == CTL_DONE)
			site_file_add_site(&file, site);
	}
	if (status == CTL_DONE)
		client_print(ctl, json_pack("{s:I, s:I, s:I, s:I}", "sites",
					    (json_int_t)file.sites, "added",
					    (json_int_t)file.added, "waiting",
					    (json_int_t)file.waiting, "wrong",
					    (json_int_t)file.wrong));
	if (file.waiting > 0)
		ctl_print_error(ctl,
				"%" PRIu64 " guards, silences and names wait "
				"for pages that are not crawled yet; run the "
				"command again later",
				file.waiting);
	json_decref(file.guards);
	json_decref(answer);
	json_decref(document);
	if (status == CTL_DONE && file.waiting + file.wrong > 0)
		return CTL_PARTLY;
	return status;
}
