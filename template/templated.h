/*
 * templated.h - use the templates of a site in your own program.
 *
 * `templatectl export HOST -o site.tpl` writes a bundle: everything that the
 * daemon has learned about a site. This library opens it, classifies pages and
 * extracts their content, byte for byte like that daemon. It needs no daemon,
 * opens no socket, starts no thread, and all its state belongs to handles.
 *
 *	struct templated_page page = {.bytes = html, .size = size, .url = url};
 *	struct templated_bundle *site;
 *	struct templated_answer *answer;
 *	struct templated_error error;
 *
 *	site = templated_open("site.tpl", NULL, &error);
 *	if (site == NULL)
 *		return error.code;
 *	answer = templated_extract(site, &page, NULL, &error);
 *	fputs(answer == NULL ? error.message : templated_text(answer), stdout);
 *	templated_free(answer);
 *	templated_close(site);
 *
 * A page of an unknown site needs no bundle: templated_extract(NULL, ...)
 * extracts it alone, as `templatectl extract` does.
 *
 * Ownership. The caller owns the results of templated_open(),
 * templated_extract() and templated_fields(), and frees them with
 * templated_close(), templated_free() and templated_record_free(). Text that a
 *function returns belongs to the handle that was passed and lives as long as
 *the handle; a result may outlive its bundle. The library keeps no pointer to
 *its arguments.
 *
 * Errors. A function that can fail returns NULL or false and fills *error,
 * which may be NULL. Bundles and pages may be hostile: the worst result is an
 * error. The process aborts only when memory runs out, so a program that opens
 * foreign bundles should set the limits.
 *
 * Threads. Use a handle in one thread at a time; different threads may use
 * different handles at the same time. The locale does not matter.
 *
 * Compatibility. Structs, functions and constants do not change while the
 * soname is libtemplated.so.0 (docs/dev/abi.md). Zero a struct before you fill
 * it. All text is UTF-8 and ends with a NUL.
 */
#ifndef TEMPLATED_H
#define TEMPLATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TEMPLATED_VERSION_MAJOR 0
#define TEMPLATED_VERSION_MINOR 1
#define TEMPLATED_VERSION_PATCH 0

#if defined(__GNUC__)
#define TEMPLATED_API __attribute__((visibility("default")))
#else
#define TEMPLATED_API
#endif

/* Return the version of the library that the program has loaded: "0.1.0". */
TEMPLATED_API const char *templated_version(void);

enum templated_code {
	TEMPLATED_OK,
	TEMPLATED_NOT_FOUND,    /* there is no such file, method or value */
	TEMPLATED_MALFORMED,    /* an argument is invalid */
	TEMPLATED_TOO_LARGE,    /* a limit is exceeded */
	TEMPLATED_CORRUPT,      /* the bundle is damaged, or not a bundle */
	TEMPLATED_OTHER_FORMAT, /* the format has another version */
	TEMPLATED_NOT_HTML,     /* the page is an image, an archive, ... */
	TEMPLATED_NO_TEMPLATE,  /* the method needs a template, but the page has
				   none */
	TEMPLATED_IO            /* the file cannot be read */
};

struct templated_error {
	enum templated_code code;
	char message[256]; /* an English sentence */
};

/* Limits for the resources that a bundle may use. 0 selects the default. */
struct templated_limits {
	size_t max_unpacked_bytes; /* decompressed size of its sections; default
				      1 GiB */
	size_t max_page_bytes; /* size of a page, if the bundle allows more; 64
				  MiB */
	size_t max_page_nodes; /* elements of a page, if the bundle allows more;
				  2,000,000 */
	size_t max_learned_bytes; /* size of template models; default 64 MiB */
};

struct templated_bundle;

/*
 * Open a bundle, and check all of it. The time is linear in its decompressed
 * size. `limits` may be NULL. Errors: NOT_FOUND, IO, CORRUPT, OTHER_FORMAT,
 * TOO_LARGE.
 */
TEMPLATED_API struct templated_bundle *
templated_open(const char *path, const struct templated_limits *limits,
	       struct templated_error *error);

/*
 * Open a bundle from its bytes, which are copied. Errors as for
 * templated_open().
 */
TEMPLATED_API struct templated_bundle *
templated_open_memory(const void *bytes, size_t size,
		      const struct templated_limits *limits,
		      struct templated_error *error);

/* Free the bundle. Do nothing for NULL. */
TEMPLATED_API void templated_close(struct templated_bundle *bundle);

/*
 * Return a description of the bundle as JSON: site, base, measure, threshold,
 * generation, made, program, size_bytes, pages, templates [{name, id, pages,
 * learned, version, fields [{name, type, list, origin, fill, watched, required,
 * addresses}]}]. fields is null for a template whose fields are not in the
 * bundle; templated_fields() finds them.
 */
TEMPLATED_API const char *
templated_describe(const struct templated_bundle *bundle);

/*
 * Return the newest version of the template with the identifier "HOST/N" as
 * JSON: its paths, fragments and regions (see templatectl template show).
 * Return NULL if the bundle contains no version of this template.
 */
TEMPLATED_API const char *
templated_template(const struct templated_bundle *bundle, const char *id);

/* A page as the program has received it. */
struct templated_page {
	const void *bytes;
	size_t size;
	const char *url;     /* http or https; NULL = unknown */
	const char *charset; /* of its Content-Type header; NULL = none */
};

struct templated_class {
	char id[288];    /* identifier of its template, "HOST/N"; or "" */
	uint32_t pages;  /* number of pages of this template in the bundle */
	double distance; /* 0..1, distance to the nearest page of the site */
	double reach; /* 0..1: pages with a larger distance have no template */
	double confidence; /* 0..1: 1 - distance / reach; 0 if it has no
			      template */
};

/*
 * Find the template of a page. A page without URL is treated as a page of the
 * site; a page of another host has no template. Return false after an error:
 * MALFORMED, NOT_HTML.
 */
TEMPLATED_API bool templated_classify(struct templated_bundle *bundle,
				      const struct templated_page *page,
				      struct templated_class *class_out,
				      struct templated_error *error);

/* Options of the extraction; 0 and NULL select the defaults. */
struct templated_options {
	const char *method;  /* a name that templated_method() returns; default
				"auto" */
	const char *format;  /* "txt" (default), "md", "json", "html", "xml",
				"explain" */
	const char *favor;   /* "balance" (default), "precision", "recall" */
	const char *scope;   /* "body" (default), "page" */
	const char *include; /* CSS selectors of elements whose text is always
				content */
	const char *exclude; /* CSS selectors of elements whose text is never
				content */
	const char *const
		*parameters; /* "name=value"...; the last one is NULL */
	bool with_comments;  /* also return readers' comments */
	bool without_tables; /* omit the text in data tables */
	bool without_title;  /* "md", "html": add no heading to the text */
	const char *with; /* comma-separated words: "comments", "comments-apart"
			     (separate in JSON), "images", "links" (lists in
			     JSON), "front-matter" (YAML before "md") */
};

struct templated_answer;

/*
 * Extract the content of a page. `options` may be NULL. If `bundle` is NULL,
 * the page has no template; it is truncated after 10,000,000 bytes or 200,000
 * elements. Several threads may call this without a bundle at the same time.
 * Errors: MALFORMED, NOT_FOUND (no such method), NOT_HTML, NO_TEMPLATE.
 */
TEMPLATED_API struct templated_answer *templated_extract(
	struct templated_bundle *bundle, const struct templated_page *page,
	const struct templated_options *options, struct templated_error *error);

/* Free the result. Do nothing for NULL. */
TEMPLATED_API void templated_free(struct templated_answer *answer);

/*
 * templated_text() returns the text in the requested format; for "json" it is
 * the document that the daemon would return. templated_text_size() returns its
 * length in bytes.
 */
TEMPLATED_API const char *templated_text(const struct templated_answer *answer);
TEMPLATED_API size_t templated_text_size(const struct templated_answer *answer);

/* Return the name of the method: "auto" or the requested one. */
TEMPLATED_API const char *
templated_answer_method(const struct templated_answer *answer);
/*
 * Return the reason of the result, for example "template: cluster of 17 pages".
 */
TEMPLATED_API const char *
templated_answer_reason(const struct templated_answer *answer);
/* Return the identifier of the page's template, "HOST/N"; "" if it has none. */
TEMPLATED_API const char *
templated_answer_template(const struct templated_answer *answer);
/* Return whether the method has used the template. */
TEMPLATED_API bool
templated_answer_has_template(const struct templated_answer *answer);
/*
 * Return "ok", "listing", "truncated", "unsure", "empty", "js-only", "blocked"
 * or "not-html".
 */
TEMPLATED_API const char *
templated_answer_quality(const struct templated_answer *answer);
/* Return the confidence of the result, 0..1; NAN if the method returns none. */
TEMPLATED_API double
templated_answer_confidence(const struct templated_answer *answer);

/*
 * Return a value that the page states about itself: the value with this index
 * of "title", "author", "published", "modified", "site_name", "language",
 * "description", "image", "canonical", "tag", "page_type", "category",
 * "licence" or "favicon". Return NULL if there is no such value. Only "author",
 * "tag" and "category" can have several values; the others have index 0.
 */
TEMPLATED_API const char *templated_metadata(struct templated_answer *answer,
					     const char *name, size_t index);

/*
 * Return a fact about the content, or NULL if it is unknown. The facts are
 * "hostname" (of the URL of the page, or of its canonical URL), "excerpt" (at
 * most 300 characters), "word_count" (in scripts without spaces, such as Han,
 * kana and Thai, each letter is a word), "direction" ("ltr" or "rtl"), and
 * "fingerprint" (16 hexadecimal digits: a simhash; near copies differ in at
 * most 8 of its 64 bits, other texts in 16 or more).
 */
TEMPLATED_API const char *templated_fact(struct templated_answer *answer,
					 const char *name);

/*
 * Fields: the values that the pages of a template print in the same places,
 * such as price and author.
 */
struct templated_record;

/* A field of a page. */
struct templated_field {
	const char *name;
	const char *type; /* "text", "rich text", "number", "price", "date",
			     "url", "image" or "records" */
	/* [count], distinct, in the page's order, as the page has them. Of
	   records that are in no others each is an object of JSON with the
	   fields that the record has: {"author": "Ann", "text": "Good."} */
	const char *const *values;
	size_t count; /* 0 = the page has no value */
	/* two places of the field have different values, or its transform
	   cannot read a value, which is then missing */
	bool is_unsure;
	const char *transform; /* "none", "number", "date", "url" or "join" */
	const char *parent;    /* NULL, or the name of the records that it is a
				  field of: "comments" of "comments.author" */
};

/*
 * Read the fields of a page. They are in the bundle, or, for a template without
 * fields in the bundle, found in its sample pages at the first call. The result
 * of a page without template has no fields. Free it with
 * templated_record_free(). Errors: MALFORMED, NOT_HTML.
 */
TEMPLATED_API struct templated_record *
templated_fields(struct templated_bundle *bundle,
		 const struct templated_page *page,
		 struct templated_error *error);

/*
 * Do the same with the page of a result of templated_extract() with this
 * bundle; it is not parsed again.
 */
TEMPLATED_API struct templated_record *
templated_answer_fields(struct templated_bundle *bundle,
			const struct templated_answer *answer);

/*
 * Get the field with this index, from 0 on; return false if none exists. All
 * pages of a template have the same fields in the same order.
 */
TEMPLATED_API bool templated_field(const struct templated_record *record,
				   size_t index,
				   struct templated_field *field_out);

/* Return the identifier of the page's template, "HOST/N"; "" if it has none. */
TEMPLATED_API const char *
templated_record_template(const struct templated_record *record);

enum { TEMPLATED_DATE_BYTES = 32 };

/*
 * Write the first date in a text as ISO 8601 to `iso_out`
 * [TEMPLATED_DATE_BYTES]: YYYY-MM-DD, with the time and the UTC offset that
 * follow it. Names of months in 20 languages are known. Return false if there
 * is no date from 1970 to 2100, or if it is unclear which number is the month
 * (5/3/2024). Needs no handle; any thread.
 */
TEMPLATED_API bool templated_date(const char *text, char *iso_out);

enum { TEMPLATED_NUMBER_BYTES = 48 };

/*
 * Write the only number of a text with a decimal point to `number_out`
 * [TEMPLATED_NUMBER_BYTES]: "1234.50" for "1.234,50". Return false if it has
 * none or several, or if it is unclear what begins the decimals: 1.234 may have
 * three of them, unless it is a price (`is_price`). Needs no handle; any
 * thread.
 */
TEMPLATED_API bool templated_number(const char *text, bool is_price,
				    char *number_out);

/* Free the result. Do nothing for NULL. */
TEMPLATED_API void templated_record_free(struct templated_record *record);

struct templated_method {
	const char *name;
	const char *summary; /* a description in one line */
	const char *source;  /* the paper that describes it */
	bool needs_template; /* it fails for pages without a template */
};

/* Get the method with this index, from 0 on; return false if none exists. */
TEMPLATED_API bool templated_method(size_t index,
				    struct templated_method *method_out);

#ifdef __cplusplus
}
#endif

#endif
