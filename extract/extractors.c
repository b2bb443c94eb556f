#include "extract/extractors.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "extract/auto/auto.h"
#include "extract/core/document_walk.h"
#include "extract/core/extractor.h"
#include "extract/core/trace.h"
#include "extract/methods/plain.h"
#include "extract/text/word.h"
#include "page/page.h"
#include "page/page_class.h"
#include "page/selector.h"

enum {
	MAX_SHELL_WORDS = 100, /* if a page has more visible words than this, it
				  is no shell */
	MAX_SHELL_CHOICE = 30, /* if a method chooses more words than this, the
				  page is no shell */
};

/* The ids of elements into which JavaScript frameworks write the content. */
static const char mount_names[] =
	"root|app|main|__next|__nuxt|__layout|___gatsby|react-root|mount|"
	"app-root|app-mount|main-outlet|content|application|root-app";

/*
 * Return true if the page is a shell that scripts must fill. A shell has
 * scripts, little visible text outside of noscript, and an empty element for
 * the content (or no text at all). A short page without such an empty element
 * is not a shell. `chosen` is the number of words that the method chose.
 */
static bool is_shell(const struct page *page, uint64_t chosen)
{
	const bool *is_visible;
	bool has_script = false;
	bool has_mount = false;
	uint64_t visible = 0;

	if (chosen > MAX_SHELL_CHOICE)
		return false;
	is_visible = visible_texts(page->arena, page);
	for (uint32_t i = 0; i < page->text_count; i++)
		if (is_visible[i] &&
		    (page->texts[i].flags & TEXT_IS_NOSCRIPT) == 0)
			visible += word_count(page_text(page, i));
	if (visible > MAX_SHELL_WORDS)
		return false;
	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];
		const uint16_t tag = node->tag;
		/*
		 * a script will fill an empty element with one of the ids, or a
		 * custom element without text
		 */
		const bool is_empty = node->first_text == node->end_text;
		const bool is_custom =
			is_empty && page_is_custom_element(page, i);

		has_mount |=
			is_custom ||
			(is_empty &&
			 list_has(mount_names, page_attribute(page, i, "id")));
		has_script |= tag == TAG_script || is_custom;
		if (tag == TAG_link)
			has_script |=
				slice_equal(page_attribute(page, i, "as"),
					    slice_of("script")) ||
				slice_equal(page_attribute(page, i, "rel"),
					    slice_of("modulepreload"));
	}
	return has_script && (has_mount || visible == 0);
}

bool page_is_shell(const struct page *page)
{
	const bool *is_visible = visible_texts(page->arena, page);
	uint64_t words = 0;

	for (uint32_t i = 0; i < page->text_count; i++)
		if (is_visible[i])
			words += word_count(page_text(page, i));
	return is_shell(page, words);
}

static const char *const names[QUALITY_COUNT] = {
	[QUALITY_NOT_HTML] = "not-html", [QUALITY_BLOCKED] = "blocked",
	[QUALITY_JS_ONLY] = "js-only",   [QUALITY_EMPTY] = "empty",
	[QUALITY_UNSURE] = "unsure",     [QUALITY_TRUNCATED] = "truncated",
	[QUALITY_LISTING] = "listing",   [QUALITY_OK] = "ok",
};

const char *text_quality_name(enum text_quality quality)
{
	return names[quality];
}

enum text_quality text_quality_of(const struct page *page,
				  const struct verdict *verdicts,
				  bool is_unsure, unsigned http_status)
{
	enum page_class page_class = page_class_of(page, 0, false);
	uint64_t chosen = 0;
	uint64_t links = 0;

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t words = verdicts[i].is_content
					 ? word_count(page_text(page, i))
					 : 0;

		chosen += words;
		if ((page->texts[i].flags & TEXT_IS_LINK) != 0)
			links += words;
	}
	if (page_class == CLASS_NOT_HTML)
		return QUALITY_NOT_HTML;
	if (http_status == 401 || http_status == 403 || http_status == 407 ||
	    http_status == 429 || http_status == 503 ||
	    page_class == CLASS_CHALLENGE || page_class == CLASS_CONSENT)
		return QUALITY_BLOCKED;
	if (is_shell(page, chosen))
		return QUALITY_JS_ONLY;
	if (chosen == 0)
		return QUALITY_EMPTY;
	if (is_unsure)
		return QUALITY_UNSURE;
	if (page_class == CLASS_TRUNCATED)
		return QUALITY_TRUNCATED;
	if (2 * links > chosen)
		return QUALITY_LISTING;
	return QUALITY_OK;
}

/* The first method is the default. */
const struct extractor *const extractors[] = {
	&extractor_auto,
#define X(name) &extractor_##name,
	METHODS(X)
#undef X
		NULL,
};

const struct extractor *extractor_find(const char *name)
{
	for (size_t i = 0; extractors[i] != NULL; i++)
		if (strcmp(extractors[i]->name, name) == 0)
			return extractors[i];
	return NULL;
}

/* Append to choice->reason, and truncate it if it becomes too long. */
__attribute__((format(printf, 2, 3))) static void
choice_append_reason(struct method_selection *choice, const char *format, ...)
{
	size_t used = strlen(choice->reason);
	va_list list;

	va_start(list, format);
	vsnprintf(choice->reason + used, sizeof(choice->reason) - used, format,
		  list);
	va_end(list);
}

enum error method_select(const char *method, uint32_t cluster_pages,
			 uint32_t min_cluster_pages,
			 struct method_selection *choice_out)
{
	const struct extractor *extractor =
		extractor_find(method == NULL ? DEFAULT_METHOD : method);
	uint32_t needed = min_cluster_pages == 0 ? 1 : min_cluster_pages;

	*choice_out = (struct method_selection){0};
	if (extractor == NULL) {
		/* do not repeat the name, because it is untrusted input */
		choice_append_reason(
			choice_out,
			"no such method; `templatectl methods` lists them");
		return ERR_NOT_FOUND;
	}
	if (extractor->needs == NEEDS_PAGE) {
		choice_append_reason(choice_out, "from the page only");
	} else if (cluster_pages >= needed) {
		choice_out->has_template = true;
		choice_append_reason(
			choice_out, "template: cluster of %u page%s",
			cluster_pages, cluster_pages == 1 ? "" : "s");
	} else {
		choice_append_reason(choice_out, "no template: the page%s",
				     cluster_pages == 0 ? " is in no cluster"
							: "'s cluster");
		if (cluster_pages > 0)
			choice_append_reason(
				choice_out, " has %u page%s, %u are needed",
				cluster_pages, cluster_pages == 1 ? "" : "s",
				needed);
		if (needs_template(extractor) && !extractor->falls_back) {
			choice_append_reason(choice_out, "; %s needs it",
					     extractor->name);
			return ERR_ADDRESS_FORBIDDEN;
		}
		choice_append_reason(choice_out, "; from the page only");
		if (extractor->falls_back)
			choice_append_reason(choice_out,
					     ", by %s instead of %s",
					     DEFAULT_METHOD, extractor->name);
	}
	assert(!choice_out->has_template || extractor->needs != NEEDS_PAGE);
	choice_out->named = extractor;
	choice_out->extractor =
		extractor->falls_back && !choice_out->has_template
			? extractor_find(DEFAULT_METHOD)
			: extractor;
	return ERR_NONE;
}

/*
 * Return for each text of the page whether it is inside an element that
 * `selector` matches: [text_count].
 */
static bool *texts_inside(const struct page *page,
			  const struct selector *selector)
{
	const bool *is_selected = selector_match(selector, page, page->arena);
	bool *is_inside = ARENA_NEW(page->arena, bool, page->text_count);
	uint32_t end = 0; /* end of the texts of the matching elements that were
			     read */

	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];

		if (!is_selected[i])
			continue;
		if (end < node->first_text)
			end = node->first_text;
		while (end < node->end_text)
			is_inside[end++] = true;
	}
	return is_inside;
}

struct verdict_change {
	bool is_content;
	const char *reason;
};

/*
 * Set the verdict to change.is_content for the texts whose is_meant
 * [text_count] is true, and the reason to change.reason.
 */
static void change_verdicts(const bool *is_meant, struct verdict_change change,
			    const struct page *page, struct verdict *verdicts,
			    struct trace *trace)
{
	for (uint32_t i = 0; i < page->text_count; i++) {
		if (!is_meant[i] || verdicts[i].is_content == change.is_content)
			continue;
		verdicts[i].is_content = change.is_content;
		trace_reason(trace, i, "%s", change.reason);
	}
}

void selection_apply(const struct selection *selection, const struct page *page,
		     struct verdict *verdicts, struct trace *trace)
{
	if (selection->with_comments)
		change_verdicts(
			auto_comments(page->arena, page),
			(struct verdict_change){
				true,
				"it is a comment, and the request includes "
				"comments"},
			page, verdicts, trace);
	if (selection->apart != NULL)
		change_verdicts(
			selection->apart,
			(struct verdict_change){
				false,
				"it is a comment, which the result lists "
				"separately"},
			page, verdicts, trace);
	if (selection->include != NULL) {
		const bool *is_visible = visible_texts(page->arena, page);
		bool *is_meant = texts_inside(page, selection->include);

		for (uint32_t i = 0; i < page->text_count; i++)
			is_meant[i] &= is_visible[i];
		change_verdicts(is_meant,
				(struct verdict_change){
					true, "the request includes it"},
				page, verdicts, trace);
	}
	if (selection->exclude != NULL)
		change_verdicts(texts_inside(page, selection->exclude),
				(struct verdict_change){
					false, "the request excludes it"},
				page, verdicts, trace);
}

enum { MAX_SETTING = 128, MAX_ERROR = 256 };

static const char separators[] = ", \t";

static bool apply_setting(const char *text, size_t length,
			  const struct extractor *wanted, double *parameters,
			  char *error_out)
{
	double scratch[MAX_PARAMETERS];
	char setting[MAX_SETTING];
	const struct extractor *extractor = NULL;
	char *dot;

	if (length >= sizeof(setting)) {
		snprintf(error_out, MAX_ERROR,
			 "a setting has %zu bytes; the maximum is %d", length,
			 MAX_SETTING - 1);
		return false;
	}
	memcpy(setting, text, length);
	setting[length] = '\0';
	dot = strchr(setting, '.');
	if (dot != NULL) {
		*dot = '\0';
		extractor = extractor_find(setting);
	}
	if (extractor == NULL) {
		snprintf(error_out, MAX_ERROR,
			 "%.100s is not METHOD.NAME=VALUE; `templatectl "
			 "methods` lists them",
			 setting);
		return false;
	}
	return extractor_set(extractor, dot + 1,
			     extractor == wanted ? parameters : scratch,
			     error_out);
}

bool settings_apply(const char *settings, const struct extractor *extractor,
		    double *parameters, char *error_out)
{
	for (const char *at = settings; *at != '\0';) {
		size_t length = strcspn(at, separators);

		if (length > 0 && !apply_setting(at, length, extractor,
						 parameters, error_out))
			return false;
		at += length;
		at += strspn(at, separators);
	}
	return true;
}
