#include "crawl/transfer.h"

enum { STALL_BYTES_PER_S = 64 };

static unsigned transfer_set_callbacks(struct fetch_transfer *transfer)
{
	CURL *easy = transfer->easy;
	unsigned failed = 0;

	failed |= curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
	failed |= curl_easy_setopt(easy, CURLOPT_ERRORBUFFER,
				   transfer->error_text);
	failed |= curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION,
				   transfer_on_open);
	failed |= curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
	failed |= curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION,
				   transfer_on_ready);
	failed |= curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
	failed |= curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION,
				   transfer_on_header);
	failed |= curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
	failed |=
		curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, transfer_on_body);
	failed |= curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
	return failed;
}

/*
 * Only the debug callback gets the head of the request, and the data between
 * the chunks of a body; only the progress callback can stop the transfer then.
 */
static unsigned set_debug(struct fetch_transfer *transfer)
{
	CURL *easy = transfer->easy;
	unsigned failed = 0;

	failed |= curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION,
				   transfer_on_debug);
	failed |= curl_easy_setopt(easy, CURLOPT_DEBUGDATA, transfer);
	failed |= curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
	failed |= curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION,
				   transfer_on_progress);
	failed |= curl_easy_setopt(easy, CURLOPT_XFERINFODATA, transfer);
	failed |= curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
	return failed;
}

static unsigned transfer_set_limits(const struct fetch_transfer *transfer)
{
	const struct fetch_options *options = &transfer->plan->options;
	CURL *easy = transfer->easy;
	unsigned failed = 0;

	/* Do not wait for a name server that does not respond. */
	failed |= curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
	failed |= curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
				   (long)options->connect_timeout_ms);
	failed |= curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
				   (long)options->total_timeout_ms);
	failed |= curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT,
				   (long)STALL_BYTES_PER_S);
	failed |= curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME,
				   ((long)options->stall_timeout_ms + 999L) /
					   1000L);
	failed |= curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	return failed;
}

/*
 * Allow only HTTP, no redirects, nothing from the environment.
 * crawl/unpack.c decompresses bodies.
 */
static unsigned transfer_set_protocol(const struct fetch_transfer *transfer)
{
	CURL *easy = transfer->easy;
	unsigned failed = 0;

	failed |= curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	failed |= curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
				   (long)CURL_HTTP_VERSION_2TLS);
	failed |= curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	failed |= curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
	failed |= curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	failed |=
		curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	failed |= curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip, br");
	failed |= curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
	failed |= curl_easy_setopt(easy, CURLOPT_USERAGENT,
				   transfer->plan->options.user_agent);
	return failed;
}

bool transfer_set_up(struct fetch_transfer *transfer)
{
	return (transfer_set_callbacks(transfer) | set_debug(transfer) |
		transfer_set_limits(transfer) |
		transfer_set_protocol(transfer) |
		ca_bundle_set(&transfer->plan->authorities, transfer->easy)) ==
	       0;
}
