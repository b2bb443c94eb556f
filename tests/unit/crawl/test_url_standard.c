/*
 * The cases of the web platform tests for URLs (url/ of web.tar.zst in
 * $TEMPLATED_SHARED or ../shared). Compare our result with the standard's,
 * after our differences of principle: no fragment, no credentials, no empty
 * query, percent-encoding in one form, no final dot of the host. Every other
 * difference is a row of differences.tsv, with the reason; the rows must match
 * exactly.
 */
#include <jansson.h>

#include "base/file.h"
#include "crawl/url/url.h"
#include "tests/unit/run.h"
#include "tests/unit/webdata.h"

enum { MAX_TEXT = 3 * MAX_URL_BYTES, MAX_FILE = 1 << 20 };

/* The test data, and the counts of one file of cases. */
struct cases {
	const char *file;
	json_t *list;         /* NULL: no data */
	struct buffer known;  /* the rows of all files */
	unsigned known_count; /* rows of this file */
	unsigned seen_count;  /* cases that are rows */
	unsigned wrong_count; /* cases that differ and are not */
	unsigned case_count;
};

static bool is_surrogate(const char *text, const char *fourth)
{
	return text[0] == '\\' && text[1] == 'u' && (text[2] | 0x20) == 'd' &&
	       text[3] != '\0' && strchr(fourth, text[3]) != NULL;
}

/* Make lone surrogates U+FFFD, as a browser does (USVString). */
static void replace_lone_surrogates(char *json)
{
	while ((json = strchr(json, '\\')) != NULL) {
		bool is_half = is_surrogate(json, "89abcdefABCDEF");

		if (is_half && is_surrogate(json, "89abAB") &&
		    is_surrogate(json + 6, "cdefCDEF")) {
			json += 12;
			continue;
		}
		for (size_t i = 2; is_half && i < 6; i++)
			json[i] = "\\ufffd"[i];
		json += 2;
	}
}

/* The rows of all files. */
static const char *known_rows(const struct cases *cases)
{
	return cases->known.size == 0 ? "" : (const char *)cases->known.data;
}

static unsigned count_rows(const struct cases *cases)
{
	unsigned count = 0;
	const char *row = known_rows(cases);

	for (; *row != '\0'; row += strcspn(row, "\n") + 1)
		if (strncmp(row, cases->file, strlen(cases->file)) == 0)
			count++;
	return count;
}

static struct cases begin(const char *file)
{
	struct cases cases = {.file = file};
	struct buffer json = {0};
	char name[128];

	(void)snprintf(name, sizeof(name), "url/%s", file);
	webdata_read(name, &json);
	if (json.size == 0) {
		printf("skipped: no %s\n", file);
		return cases;
	}
	buffer_append_byte(&json, '\0');
	replace_lone_surrogates((char *)json.data);
	cases.list = json_loads((const char *)json.data, JSON_ALLOW_NUL, NULL);
	ck_assert(json_is_array(cases.list));
	ASSERT_OK(file_read(DATA_FOLDER "/url/differences.tsv", MAX_FILE,
			    &cases.known));
	buffer_append_byte(&cases.known, '\0');
	cases.known_count = count_rows(&cases);
	buffer_free(&json);
	return cases;
}

static void end(struct cases *cases)
{
	printf("%s: %u cases, %u differ for a reason\n", cases->file,
	       cases->case_count, cases->seen_count);
	(void)fflush(stdout); /* a failure is the end of this process */
	ck_assert_uint_eq(cases->wrong_count, 0);
	ck_assert_msg(cases->seen_count == cases->known_count,
		      "%u rows of %s, but %u cases", cases->known_count,
		      cases->file, cases->seen_count);
	json_decref(cases->list);
	buffer_free(&cases->known);
}

/* Input, base and result as a row has them. */
static void note_difference(struct cases *cases, const json_t *input,
			    const json_t *base, const char *result)
{
	size_t flags = JSON_ENCODE_ANY | JSON_ENSURE_ASCII;
	AUTO_TEXT *input_text = json_dumps(input, flags);
	AUTO_TEXT *base_text = base == NULL ? NULL : json_dumps(base, flags);
	char row[MAX_TEXT];

	(void)snprintf(row, sizeof(row), "%s\t%s\t%s\t%s\t", cases->file,
		       input_text, base_text == NULL ? "null" : base_text,
		       result);
	if (strstr(known_rows(cases), row) != NULL) {
		cases->seen_count++;
	} else {
		cases->wrong_count++;
		printf("%s\n", row);
	}
}

/* Our result for a reference: the text of the URL or of the error. */
static const char *result_of(struct slice input, const json_t *base,
			     struct url *url_out)
{
	struct url base_url;
	enum error error;

	if (json_is_string(base) &&
	    url_parse(&base_url, slice_of(json_string_value(base)), NULL) !=
		    ERR_NONE)
		return "no base";
	error = url_parse(url_out, input,
			  json_is_string(base) ? &base_url : NULL);
	return error == ERR_NONE ? url_out->text : error_code(error);
}

/* The address of the standard with our differences of principle. */
static void make_ours(const char *href, char *out)
{
	const char *path = strchr(strstr(href, "://") + 3, '/');
	const char *host = strstr(href, "://") + 3;
	const char *at = memrchr(host, '@', (size_t)(path - host));
	const char *host_end;
	struct slice rest = {path, strcspn(path, "#")};
	struct bounded text = {.data = out, .capacity = MAX_TEXT - 1};

	bounded_put_slice(&text, (struct slice){href, (size_t)(host - href)});
	host = at == NULL ? host : at + 1;
	host_end = host + strcspn(host, host[0] == '[' ? "]" : ":/");
	bounded_put_slice(&text,
			  (struct slice){host, (size_t)(host_end - host)});
	if (out[text.size - 1] == '.')
		text.size--;
	bounded_put_slice(&text,
			  (struct slice){host_end, (size_t)(path - host_end)});
	percent_normalize(rest, "", &text);
	out[text.size] = '\0';
	if (strchr(out, '?') == out + text.size - 1)
		out[text.size - 1] = '\0';
}

static bool is_http(const char *address)
{
	return strncmp(address, "http:", 5) == 0 ||
	       strncmp(address, "https:", 6) == 0;
}

/* `href` is NULL for what the standard refuses. */
static void check(struct cases *cases, const json_t *object, struct slice input,
		  const char *href)
{
	const json_t *base = json_object_get(object, "base");
	char expected[MAX_TEXT];
	struct url url;
	const char *result = result_of(input, base, &url);
	bool is_equal = !is_http(result);

	if (href != NULL) {
		make_ours(href, expected);
		is_equal = strcmp(result, expected) == 0;
	}
	cases->case_count++;
	if (!is_equal)
		note_difference(cases, json_object_get(object, "input"), base,
				result);
}

/*
 * Cases without a base, or with one that is http: what is refused, or has
 * another scheme, we refuse.
 */
TEST(urls_are_those_of_the_standard)
{
	struct cases cases = begin("urltestdata.json");
	unsigned http_count = 0;
	size_t i;
	json_t *object;

	json_array_foreach(cases.list, i, object)
	{
		const json_t *base = json_object_get(object, "base");
		const json_t *input = json_object_get(object, "input");
		const char *href =
			json_string_value(json_object_get(object, "href"));

		if (input == NULL ||
		    (json_is_string(base) && !is_http(json_string_value(base))))
			continue;
		if (href != NULL && !is_http(href))
			href = NULL;
		http_count += href != NULL;
		check(&cases, object,
		      (struct slice){json_string_value(input),
				     json_string_length(input)},
		      href);
	}
	printf("%u of them are http or https\n", http_count);
	end(&cases);
}

/* Labels of 1 to 63 letters, digits, '-' and '_': what we accept as a name. */
static bool is_dns_name(const char *host)
{
	static const char bytes[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
	size_t length = strlen(host);
	size_t label = 0;

	if (length > 0 && host[length - 1] == '.')
		length--;
	for (size_t i = 0; i < length; i += label + 1) {
		label = strspn(host + i, bytes);
		if (label == 0 || label > 63 ||
		    (i + label < length && host[i + label] != '.') ||
		    i + label + 1 == length)
			return false;
	}
	return length > 0 && length <= 253;
}

/* An address with the host: what would end a host is escaped. */
static void put_address(const json_t *host, struct bounded *out)
{
	const char *text = json_string_value(host);

	bounded_put_slice(out, slice_of("http://"));
	for (size_t i = 0; i < json_string_length(host); i++)
		if (text[i] <= ' ' || strchr("/?#:\\@[]%", text[i]) != NULL)
			percent_put(out, (unsigned char)text[i]);
		else
			bounded_put(out, text[i]);
	bounded_put(out, '/');
}

static void check_names(const char *file)
{
	struct cases cases = begin(file);
	size_t i;
	json_t *object;

	json_array_foreach(cases.list, i, object)
	{
		const json_t *input = json_object_get(object, "input");
		const char *name =
			json_string_value(json_object_get(object, "output"));
		char text[MAX_TEXT];
		char href[MAX_TEXT];
		struct bounded address = {.data = text, .capacity = MAX_TEXT};

		if (input == NULL)
			continue;
		put_address(input, &address);
		(void)snprintf(href, sizeof(href), "http://%s/",
			       name == NULL ? "" : name);
		check(&cases, object, bounded_slice(&address),
		      name != NULL && is_dns_name(name) ? href : NULL);
	}
	end(&cases);
}

TEST(names_are_those_of_the_standard)
{
	check_names("toascii.json");
	check_names("IdnaTestV2.json");
}

/* Pages are UTF-8 to us: what a query is in other encodings is not tried. */
TEST(queries_are_encoded_as_in_the_standard)
{
	struct cases cases = begin("percent-encoding.json");
	size_t i;
	json_t *object;

	json_array_foreach(cases.list, i, object)
	{
		const char *input =
			json_string_value(json_object_get(object, "input"));
		const char *output = json_string_value(json_object_get(
			json_object_get(object, "output"), "utf-8"));
		char reference[MAX_TEXT];
		char href[MAX_TEXT];

		if (input == NULL)
			continue;
		(void)snprintf(reference, sizeof(reference), "http://a/?%s",
			       input);
		(void)snprintf(href, sizeof(href), "http://a/?%s", output);
		check(&cases, object, slice_of(reference), href);
	}
	end(&cases);
}
