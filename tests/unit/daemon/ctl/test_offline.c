#include "daemon/ctl/ctl.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "daemon/ctl/ctl_group.h"
#include "daemon/ctl/offline.h"
#include "daemon/ctl/offline_input.h"
#include "tests/unit/run.h"

enum { MAX_PATH = 512 };

/* A new folder that each test works in; it is the working directory. */
static char folder[MAX_PATH];

static void enter_folder(void)
{
	snprintf(folder, sizeof(folder), "/tmp/test_offline.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static int remove_entry(const char *path, const struct stat *status, int kind,
			struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

static void leave_folder(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
	ck_assert_int_eq(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS),
			 0);
}

/* Run the words, separated by blanks. */
static enum ctl_status run(const char *line)
{
	char text[MAX_PATH];
	const char *words[32];
	size_t count = 0;
	char *rest = text;

	snprintf(text, sizeof(text), "%s", line);
	for (char *word; (word = strsep(&rest, " ")) != NULL;)
		words[count++] = word;
	return ctl_run(count, words, false);
}

static void write_text(const char *path, const char *text)
{
	ASSERT_OK(file_write(path, slice_of(text)));
}

static const char *read_text(const char *path)
{
	static struct buffer bytes;

	buffer_free(&bytes);
	ASSERT_OK(file_read(path, 1 << 20, &bytes));
	return bytes.data == NULL ? "" : bytes.data;
}

/* What the words print. */
static const char *printed(const char *line, enum ctl_status *status)
{
	ck_assert_ptr_nonnull(freopen("stdout.txt", "w", stdout));
	*status = run(line);
	fflush(stdout);
	return read_text("stdout.txt");
}

/* A page of one template: what `word` says is its own. */
static void write_page(const char *path, const char *word)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "<html><head><title>%s</title></head><body>"
		 "<div class=\"nav\"><a href=\"/\">Home of the site</a>"
		 "<a href=\"/all\">Everything we have</a></div>"
		 "<div class=\"post\"><h1>About %s</h1><p>The %s is "
		 "described here.</p></div>"
		 "<div class=\"foot\">All rights reserved.</div>"
		 "</body></html>",
		 word, word, word);
	write_text(path, text);
}

/* in/: four pages of a template, one of another. */
static void write_site(void)
{
	write_page("in/a.html", "heron");
	write_page("in/b.html", "kestrel");
	write_page("in/sub/c.html", "plover");
	write_page("in/sub/d.htm", "dunlin");
	write_text("in/other.html",
		   "<html><body><table><tr><td>One cell that is unlike the "
		   "other pages of this folder. It holds as many words as a "
		   "method needs that knows nothing of the other pages: the "
		   "text must be long, and the markup around it short. For "
		   "that it goes on to say that waders probe the mud for "
		   "worms, that each of them has a bill of its own length, "
		   "and that so they seldom take the food of another. At "
		   "high water they rest together in the salt marsh, all "
		   "facing the wind, and sleep until the tide turns and "
		   "the first of them walk back to the edge of the "
		   "sea.</td></tr></table></body></html>");
}

TEST(clusters_are_numbered_by_size_then_first_page)
{
	const uint32_t labels[] = {9, 4, 7, 4, 9, 4, 2};
	const uint32_t expected[] = {2, 1, 3, 1, 2, 1, 4};
	uint32_t numbers[7];

	ck_assert_uint_eq(clustering_result_number(labels, 7, numbers), 4);
	ck_assert_mem_eq(numbers, expected, sizeof(expected));
	ck_assert_uint_eq(clustering_result_number(labels, 0, numbers), 0);
}

TEST(labels_are_read_with_and_without_a_head)
{
	struct labels labels;
	struct buffer bytes = {0};

	buffer_append_text(&bytes, "path\tlabel\trule\n"
				   "b.html\tpost\tx\ty\r\n"
				   "a.html\tindex\n"
				   "no tab\n\n"
				   "c.html\tredirect-stub\n"
				   "d.html\tnot-html\n"
				   "b.html\tindex\n"
				   "e.html\tpost");
	labels_read(&bytes, &labels);
	ck_assert_uint_eq(labels.count, 5);
	ck_assert_uint_ne(labels_find(&labels, "a.html"), 0);
	/* the last line for a page counts */
	ck_assert_uint_eq(labels_find(&labels, "a.html"),
			  labels_find(&labels, "b.html"));
	ck_assert_uint_ne(labels_find(&labels, "a.html"),
			  labels_find(&labels, "e.html"));
	ck_assert_uint_ne(labels_find(&labels, "e.html"), 0);
	ck_assert_uint_eq(labels_find(&labels, "c.html"), 0);
	ck_assert_uint_eq(labels_find(&labels, "d.html"), 0);
	ck_assert_uint_eq(labels_find(&labels, "path"), 0);
	ck_assert_uint_eq(labels_find(&labels, "a.htm"), 0);
	labels_free(&labels);
	labels_read(&bytes, &labels);
	ck_assert_uint_eq(labels.count, 0);
	ck_assert_uint_eq(labels_find(&labels, "a.html"), 0);
	labels_free(&labels);
}

static const char *output_of(const char *name, enum format format)
{
	static struct buffer path;

	buffer_free(&path);
	output_path("out", name, format, &path);
	return path.data;
}

TEST(an_output_loses_html_and_gz_alone)
{
	ck_assert_str_eq(output_of("a/b.html", FORMAT_TXT), "out/a/b.txt");
	ck_assert_str_eq(output_of("a/b.html.gz", FORMAT_TXT), "out/a/b.txt");
	ck_assert_str_eq(output_of("b.htm", FORMAT_TXT), "out/b.htm.txt");
	ck_assert_str_eq(output_of("b.htm.gz", FORMAT_TXT), "out/b.htm.txt");
	ck_assert_str_eq(output_of(".html", FORMAT_TXT), "out/.html.txt");
	ck_assert_str_eq(output_of("page", FORMAT_TXT), "out/page.txt");
	ck_assert_str_eq(output_of("a.html", FORMAT_JSON), "out/a.json");
	ck_assert_str_eq(output_of("a.html", FORMAT_EXPLAIN),
			 "out/a.explain.html");
}

TEST(the_url_of_a_file_is_escaped)
{
	char name[MAX_URL_BYTES + 2];
	struct url url;

	ASSERT_OK(offline_url("a b/50%?x#y.html", &url));
	ck_assert_str_eq(url.text,
			 "http://site.invalid/a%20b/50%25%3Fx%23y.html");
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert_int_eq(offline_url(name, &url), ERR_TOO_LARGE);
}

TEST(a_wrong_command_line_is_status_2)
{
	static const char *const lines[] = {
		"",
		"nothing",
		"--nothing",
		"status --nothing",
		"status one",
		"cluster",
		"cluster --report=yes in",
		"cluster --svg",
		"cluster --threshold automatic in",
		"batch in --out out --threshold automatic",
		"cluster --threshold 1.5 in",
		"cluster --threshold nan in",
		"cluster --threshold 0x1 in",
		"cluster --threshold",
		"cluster --measure cpx in",
		"batch --format txt in",
		"batch in --jobs 0",
		"batch in --out out --min-pages 1",
		"batch in --out out --min-pages 99999999999999999999",
		"batch in --out out --method nothing",
		"extract --method nothing in/a.html",
		"extract --method accb --param nothing=1 in/a.html",
		"extract --param nothing=1 in/a.html",
		"extract --favor speed in/a.html",
		"extract --method plain --favor recall in/a.html",
		"extract --scope site in/a.html",
		"extract --method plain --scope body in/a.html",
		"extract --with adverts in/a.html",
		"extract --include [a in/a.html",
		"extract --exclude a:hover in/a.html",
		"batch in --out out --exclude p:",
		"text --exclude p: http://site.example/",
		"extract --format pdf in/a.html",
		"extract --url ftp://example.org/ in/a.html",
		"extract --format md in/a.html in/b.html",
		"extract --format txt in",
		"extract --format html a.warc",
		"extract --out out",
		"extract --format txt --urls list",
	};

	enter_folder();
	write_site();
	for (size_t i = 0; i < COUNT_OF(lines); i++)
		ck_assert_msg(run(lines[i]) == CTL_USAGE, "%s", lines[i]);
	leave_folder();
}

TEST(help_and_version_need_no_daemon)
{
	enum ctl_status status;

	enter_folder();
	ck_assert_ptr_nonnull(strstr(printed("--help", &status), "methods"));
	ck_assert_int_eq(status, CTL_DONE);
	ck_assert_ptr_nonnull(
		strstr(printed("batch --help", &status), "--min-pages"));
	ck_assert_int_eq(status, CTL_DONE);
	ck_assert_ptr_nonnull(
		strstr(printed("--version", &status), "templatectl "));
	ck_assert_int_eq(status, CTL_DONE);
	leave_folder();
}

TEST(without_a_daemon_the_status_is_3)
{
	enter_folder();
	ck_assert_int_eq(run("-s nothing.sock status"), CTL_NO_DAEMON);
	leave_folder();
}

TEST(a_file_that_is_of_no_use_is_status_1)
{
	enter_folder();
	ck_assert_int_eq(run("extract nowhere.html"), CTL_FAILED);
	ck_assert_int_eq(run("cluster nowhere.html"), CTL_FAILED);
	ck_assert_int_eq(mkdir("empty", 0700), 0);
	ck_assert_int_eq(run("cluster empty"), CTL_FAILED);
	ck_assert_int_eq(run("batch empty --out out"), CTL_FAILED);
	ck_assert_int_eq(run("batch nowhere --out out"), CTL_FAILED);
	write_site();
	write_text("in/no.html", "\x7F\x45LF\x01\x02\x03\x04\x05\x06\x07");
	ck_assert_int_eq(run("explain --site in a.html -o a"), CTL_DONE);
	ck_assert_int_eq(run("explain --site in no.html -o no"), CTL_FAILED);
	ck_assert_int_eq(run("explain --site in none.html -o no"), CTL_FAILED);
	ck_assert_int_eq(run("extract --out out nowhere.warc"), CTL_FAILED);
	leave_folder();
}

TEST(one_page_is_printed)
{
	enum ctl_status status;
	const char *text;

	enter_folder();
	write_page("a.html", "heron");
	text = printed("extract --method plain a.html", &status);
	ck_assert_int_eq(status, CTL_DONE);
	ck_assert_ptr_nonnull(strstr(text, "About heron\n"));
	ck_assert_ptr_nonnull(strstr(text, "Home of the site"));
	text = printed("extract --json --method plain a.html", &status);
	ck_assert_int_eq(status, CTL_DONE);
	ck_assert_ptr_nonnull(strstr(text, "\"title\":\"heron\""));
	ck_assert_ptr_nonnull(strstr(text, "\"method\":\"plain\""));
	ck_assert_ptr_nonnull(strstr(text, "\"cluster\":null"));
	leave_folder();
}

/* Each line of the text contains the expected text [count]. */
static void assert_lines(const char *text, const char *const *expected,
			 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *end = strchr(text, '\n');
		const char *found = strstr(text, expected[i]);

		ck_assert_msg(end != NULL && found != NULL && found < end,
			      "line %zu: %s", i, expected[i]);
		text = end + 1;
	}
	ck_assert_str_eq(text, "");
}

TEST(many_pages_are_lines_in_order)
{
	static const char *const lines[] = {
		"{\"file\":\"in/a.html\",\"url\":null,\"title\":\"heron\"",
		"{\"file\":\"in/b.html\",\"url\":null,\"title\":\"kestrel\"",
		"{\"file\":\"in/c.html\",\"error\":\"not an HTML page",
		"{\"file\":\"in/other.html\",",
		"{\"file\":\"in/sub/c.html\",",
		"{\"file\":\"in/sub/d.htm\",",
	};
	enum ctl_status status;
	const char *text;
	AUTO_TEXT *alone;

	enter_folder();
	write_site();
	write_text("in/c.html", "\x7F\x45LF\x01\x02\x03\x04\x05\x06\x07\x08");
	text = printed("extract --method plain --jobs 1 in", &status);
	ck_assert_int_eq(status, CTL_DONE);
	assert_lines(text, lines, COUNT_OF(lines));
	alone = strdup(text);
	text = printed("extract --method plain --jobs 3 in", &status);
	ck_assert_str_eq(text, alone);
	leave_folder();
}

TEST(a_batch_is_the_same_by_any_number_of_jobs)
{
	enum ctl_status status;
	const char *text;
	AUTO_TEXT *alone;

	enter_folder();
	write_site();
	text = printed("batch --measure cpc --jobs 1 in", &status);
	ck_assert_int_eq(status, CTL_DONE);
	ck_assert_ptr_nonnull(strstr(text, "\"cluster_pages\":4"));
	alone = strdup(text);
	text = printed("batch --measure cpc --jobs 4 in", &status);
	ck_assert_str_eq(text, alone);
	leave_folder();
}

/* The parts that do not depend on the site equal those of the single page. */
TEST(a_batch_extracts_pages_without_a_template_separately)
{
	enum ctl_status status;
	const char *text;
	AUTO_TEXT *alone;

	enter_folder();
	write_site();
	text = printed("extract --json --url http://site.invalid/other.html "
		       "in/other.html",
		       &status);
	alone = strdup(strstr(text, "\"metadata\""));
	ck_assert_int_eq(run("batch --json --out out --measure cpc in"),
			 CTL_DONE);
	text = read_text("out/other.json");
	ck_assert_ptr_nonnull(strstr(text, "\"cluster_pages\":1,"));
	ck_assert_ptr_nonnull(strstr(text, "the page's cluster has 1 page"));
	ck_assert_str_eq(strstr(text, "\"metadata\""), alone);
	leave_folder();
}

static void append_record(struct buffer *archive, const char *url,
			  const char *status, const char *type)
{
	AUTO_BUFFER block = {0};

	buffer_printf(&block,
		      "HTTP/1.1 %s\r\nContent-Type: %s\r\n\r\n"
		      "<p>The herons of %s.",
		      status, type, url);
	buffer_printf(archive,
		      "WARC/1.0\r\nWARC-Type: response\r\n"
		      "WARC-Target-URI: %s\r\n"
		      "Content-Type: application/http;msgtype=response\r\n"
		      "Content-Length: %zu\r\n\r\n%s\r\n\r\n",
		      url, block.size, block.data);
}

static void write_archive(const char *path)
{
	AUTO_BUFFER archive = {0};

	append_record(&archive, "http://a.test/one", "200 OK", "text/html");
	append_record(&archive, "http://a.test/no", "404 No", "text/html");
	append_record(&archive, "http://a.test/i", "200 OK", "image/png");
	append_record(&archive, "http://a.test/two", "200 OK", "text/html");
	write_text(path, archive.data);
}

TEST(the_pages_of_an_archive_have_their_addresses)
{
	static const char *const lines[] = {
		"{\"file\":\"a.warc:0\",\"url\":\"http://a.test/one\"",
		"\"url\":\"http://a.test/two\"",
	};
	enum ctl_status status;
	const char *text;

	enter_folder();
	write_archive("a.warc");
	text = printed("extract --method plain a.warc", &status);
	ck_assert_int_eq(status, CTL_DONE);
	assert_lines(text, lines, 2);
	ck_assert_ptr_nonnull(strstr(text, "The herons of http://a.test/one."));
	ck_assert_int_eq(rename("a.warc", "pages"), 0);
	text = printed("extract --method plain --warc pages", &status);
	ck_assert_ptr_nonnull(strstr(text, "{\"file\":\"pages:0\""));
	ck_assert_int_eq(run("extract nowhere.warc"), CTL_FAILED);
	leave_folder();
}

TEST(the_pages_of_an_archive_are_written_by_their_addresses)
{
	enter_folder();
	write_archive("a.warc");
	ck_assert_int_eq(run("extract --method plain --out out a.warc"),
			 CTL_DONE);
	ck_assert_ptr_nonnull(strstr(read_text("out/a.test/one.txt"),
				     "The herons of http://a.test/one."));
	ck_assert_ptr_nonnull(
		strstr(read_text("out/a.test/two.txt"), "a.test/two."));
	ck_assert_int_eq(run("batch --method plain --out all a.warc in.warc"),
			 CTL_PARTLY);
	ck_assert_ptr_nonnull(
		strstr(read_text("all/a.test/two.txt"), "a.test/two."));
	leave_folder();
}

/* Of two hosts, each a site, and of no host. */
TEST(a_batch_learns_archives_and_files)
{
	static const char *const lines[] = {
		"{\"file\":\"in/bad.html\",\"error\":\"not an HTML page",
		"{\"file\":\"in/one.html\",\"url\":\"http://site.invalid/",
		"{\"file\":\"a.warc:0\",\"url\":\"http://a.test/0\"",
		"\"url\":\"http://a.test/1\"",
		"\"cluster\":\"a.test/1\",\"cluster_pages\":3",
		"\"url\":\"http://b.test/0\"",
		"\"error\":\"skipped: a.warc:0 has the same URL\"",
	};
	AUTO_BUFFER archive = {0};
	enum ctl_status status;
	const char *text;
	AUTO_TEXT *alone;

	enter_folder();
	for (int i = 0; i < 3; i++) {
		char url[64];

		snprintf(url, sizeof(url), "http://a.test/%d", i);
		append_record(&archive, url, "200 OK", "text/html");
	}
	append_record(&archive, "http://b.test/0", "200 OK", "text/html");
	append_record(&archive, "http://a.test/0", "200 OK", "text/html");
	write_text("a.warc", archive.data);
	write_page("in/one.html", "heron");
	write_text("in/bad.html", "\x7F\x45LF\x01\x02\x03\x04\x05\x06\x07");
	text = printed("batch --measure cpc --jobs 1 in a.warc", &status);
	ck_assert_int_eq(status, CTL_PARTLY);
	assert_lines(text, lines, COUNT_OF(lines));
	alone = strdup(text);
	text = printed("batch --measure cpc --jobs 3 in a.warc", &status);
	ck_assert_str_eq(text, alone);
	leave_folder();
}

TEST(pages_that_cannot_be_cited_can_be_left_out)
{
	static const char *const lines[] = {"{\"file\":\"in/b.html\""};
	enum ctl_status status;

	enter_folder();
	write_text("in/a.html", "<title>Herons</title><p>About herons.");
	write_text("in/b.html",
		   "<title>Kestrels</title><meta property="
		   "article:published_time content=2024-03-05><link "
		   "rel=canonical href=http://a.test/b><p>About kestrels.");
	assert_lines(printed("extract --only-with-metadata in", &status), lines,
		     1);
	ck_assert_int_eq(status, CTL_DONE);
	leave_folder();
}

TEST(many_pages_keep_their_folders)
{
	enter_folder();
	write_site();
	ck_assert_int_eq(run("extract --method plain --out out in"), CTL_DONE);
	ck_assert_ptr_nonnull(strstr(read_text("out/a.txt"), "About heron"));
	ck_assert_ptr_nonnull(
		strstr(read_text("out/sub/c.txt"), "About plover"));
	ck_assert_ptr_nonnull(
		strstr(read_text("out/sub/d.htm.txt"), "About dunlin"));
	ck_assert_int_eq(run("extract --method plain --out flat in/sub/c.html "
			     "in/a.html"),
			 CTL_DONE);
	ck_assert_ptr_nonnull(strstr(read_text("flat/c.txt"), "plover"));
	ck_assert_ptr_nonnull(strstr(read_text("flat/a.txt"), "heron"));
	leave_folder();
}

TEST(two_inputs_never_write_one_output)
{
	enter_folder();
	write_page("in/a.html", "heron");
	write_page("in/a.html.gz", "kestrel"); /* read unchanged: no gzip */
	ck_assert_int_eq(run("extract --method plain --out out in"), CTL_DONE);
	ck_assert_ptr_nonnull(strstr(read_text("out/a.txt"), "heron"));
	leave_folder();
}

/* What `cluster` prints for write_site(). */
static const char cluster_lines[] = "a.html\t1\nb.html\t1\nother.html\t2\n"
				    "sub/c.html\t1\nsub/d.htm\t1\n";

TEST(pages_of_a_template_are_one_cluster)
{
	enum ctl_status status;
	const char *text;

	enter_folder();
	write_site();
	write_text("in/image.html", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
	text = printed("cluster --measure cpc in", &status);
	ck_assert_int_eq(status, CTL_DONE);
	ck_assert_str_eq(text, cluster_lines);
	text = printed("cluster --measure cpc in/other.html in/b.html "
		       "in/a.html",
		       &status);
	ck_assert_str_eq(text, "in/a.html\t1\nin/b.html\t1\n"
			       "in/other.html\t2\n");
	text = printed("cluster --measure cpc --names in", &status);
	ck_assert_ptr_nonnull(strstr(text, "page \xC2\xB7 /other.html"));
	text = printed("cluster --measure cpc --json in", &status);
	ck_assert_ptr_nonnull(
		strstr(text, "\"name\":\"page \xC2\xB7 /other.html\""));
	leave_folder();
}

TEST(labels_give_the_quality_of_the_clusters)
{
	enum ctl_status status;
	const char *text;

	enter_folder();
	write_site();
	write_text("labels.tsv", "path\tlabel\na.html\tpost\nb.html\tpost\n"
				 "other.html\ttable\nsub/c.html\tpost\n"
				 "sub/d.htm\tnot-html\n");
	text = printed("cluster --measure cpc --json --labels labels.tsv in",
		       &status);
	ck_assert_int_eq(status, CTL_DONE);
	ck_assert_ptr_nonnull(strstr(text, "\"labelled\":4,\"labels\":2,"
					   "\"rand\":1.0,"
					   "\"adjusted_rand\":1.0"));
	/* all pages in one cluster: 3 of the 6 pairs agree */
	text = printed("cluster --json --threshold 1 --labels "
		       "labels.tsv in",
		       &status);
	ck_assert_ptr_nonnull(strstr(text, "\"rand\":0.5,"));
	leave_folder();
}

TEST(a_report_replaces_the_lines)
{
	enum ctl_status status;
	const char *text;

	enter_folder();
	write_site();
	text = printed("cluster --measure cpc --report --svg site.svg in",
		       &status);
	ck_assert_int_eq(status, CTL_DONE);
	ck_assert_ptr_nonnull(strstr(text, "5 pages, 2 distinct signatures"));
	ck_assert_ptr_nonnull(strstr(text, "- a.html\n"));
	ck_assert_ptr_null(strstr(text, "a.html\t1"));
	ck_assert_ptr_nonnull(strstr(read_text("site.svg"), "a.html"));
	text = printed("cluster --measure cpc --json --report in", &status);
	ck_assert_int_eq(status, CTL_DONE);
	ck_assert_ptr_nonnull(strstr(text, "\"report\":{\"pages\":5,"));
	ck_assert_ptr_nonnull(strstr(text, "{\"path\":\"a.html\","));
	text = printed("cluster --measure cpc --svg nowhere/x/y.svg in",
		       &status);
	ck_assert_ptr_nonnull(strstr(text, "a.html\t1"));
	leave_folder();
}

/* One sizable cluster of four pages and a single page: no plateau. */
TEST(the_threshold_may_be_found_by_itself)
{
	enum ctl_status status;
	const char *text;

	enter_folder();
	write_site();
	text = printed("cluster --threshold auto --measure cp in", &status);
	ck_assert_int_eq(status, CTL_DONE);
	ck_assert_str_eq(text, cluster_lines);
	text = printed("cluster --json --threshold auto --measure cp in",
		       &status);
	ck_assert_ptr_nonnull(strstr(text, "\"threshold\":0.2,"));
	ck_assert_ptr_nonnull(strstr(
		text, "\"suggestion\":{\"threshold\":0.2,\"reason\":\"the "
		      "default of cp, because too few pages have"));
	ck_assert_ptr_null(strstr(text, "\"report\""));
	leave_folder();
}

TEST(a_batch_drops_text_shared_by_the_pages)
{
	const char *text;

	enter_folder();
	write_site();
	ck_assert_int_eq(mkdir("tmp", 0700), 0);
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
	ck_assert_int_eq(setenv("TMPDIR", "tmp", 1), 0);
	ck_assert_int_eq(run("batch --measure cpc --method df in --out out"),
			 CTL_DONE);
	text = read_text("out/sub/c.txt");
	ck_assert_ptr_nonnull(strstr(text, "About plover"));
	ck_assert_ptr_nonnull(strstr(text, "The plover is described here."));
	ck_assert_ptr_null(strstr(text, "Home of the site"));
	ck_assert_ptr_null(strstr(text, "All rights reserved"));
	unsetenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe): one thread */
	/* it is empty and can be removed */
	ck_assert_int_eq(rmdir("tmp"), 0);
	leave_folder();
}

TEST(a_batch_reports_the_cluster_in_json)
{
	const char *text;

	enter_folder();
	write_site();
	ck_assert_int_eq(run("batch --measure cpc in --out out --format json"),
			 CTL_DONE);
	text = read_text("out/a.json");
	ck_assert_ptr_nonnull(strstr(text, "\"method\":\"auto\""));
	ck_assert_ptr_nonnull(
		strstr(text, "\"reason\":\"template: cluster of 4 pages\""));
	ck_assert_ptr_nonnull(strstr(text, "\"cluster\":\"site.invalid/"));
	ck_assert_ptr_nonnull(strstr(text, "\"cluster_pages\":4"));
	ck_assert_int_eq(run("batch in --out few --format json --min-pages 5"),
			 CTL_DONE);
	ck_assert_ptr_nonnull(
		strstr(read_text("few/a.json"), "from the page only"));
	leave_folder();
}
