/*
 * crawl/transfer.h - one HTTP request under way: an easy handle of libcurl and
 * what its callbacks have learned. Used by fetch.c alone.
 */
#ifndef CRAWL_TRANSFER_H
#define CRAWL_TRANSFER_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "crawl/fetch.h"

/* What is read of one block of response headers. */
struct answer_headers {
	struct url redirect;     /* Location, resolved; text "": none */
	uint64_t content_length; /* UINT64_MAX: not named */
	uint64_t date_s;         /* Date; 0: none */
	char content_type[128];  /* "": none, or longer */
	char retry_after[64];    /* "": none, or longer */
};

struct transfer {
	struct transfer *next;   /* among the idle or the ended ones */
	struct transfer *sister; /* among all of the fetcher */
	CURL *easy;
	bool is_running; /* in the multi handle */
	const struct fetch_options *options;
	/* the request */
	struct url url;
	bool is_private_ok;
	bool any_type;
	size_t max_body_bytes;
	/* its answer */
	struct fetch_result result;
	struct answer_headers headers;
	bool is_headed; /* the last header block is complete */
	size_t header_bytes;
	size_t dropped_bytes;
	bool is_connected;              /* the guard let an address pass */
	char refused[INET6_ADDRSTRLEN]; /* an address it did not; "": none */
	char error_text[CURL_ERROR_SIZE];
};

/* Keeps `options`. NULL only when libcurl fails. */
struct transfer *transfer_create(const struct fetch_options *options);

/* NULL is a no-op. Not while it is in a multi handle. */
void transfer_destroy(struct transfer *transfer);

/*
 * Forget the last request and make ready for the one whose fields are given,
 * with these request headers. False when libcurl refuses; then the result says
 * so.
 */
bool transfer_prepare(struct transfer *transfer, const struct url *url,
		      struct curl_slist *headers);

/* The transfer was ended from outside: its result is ERR_STOPPED. */
void transfer_stop(struct transfer *transfer);

/* The transfer has ended with `code`: complete the result. */
void transfer_finish(struct transfer *transfer, CURLcode code);

#endif
