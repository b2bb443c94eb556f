/*
 * crawl/warc_write.h - write records of WARC 1.1 (ISO 28500:2017), each in
 * its own gzip member unless is_plain is set. Pure: appends bytes to a buffer;
 * time and identity are arguments.
 */
#ifndef CRAWL_WARC_WRITE_H
#define CRAWL_WARC_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"

/* A request and its response. */
struct warc_exchange {
	struct slice url;       /* canonical */
	uint64_t time_ms;       /* time of the request */
	struct slice address;   /* IP address of the server, or empty */
	struct slice request;   /* head of the request as sent, or empty */
	struct slice headers;   /* head of the response as received, with its
				   status line; with or without the blank line */
	struct slice body;      /* decoded */
	bool is_cut;            /* the body is incomplete */
	const char *cut_reason; /* "length", "time", "disconnect" */
	bool is_revisit; /* 304, or the body is the same as at the last visit */
	uint64_t revisit_ms;  /* visit that received the body; 0 = unknown */
	uint64_t identity[2]; /* unique; becomes the record ids (UUID v4) */
};

/*
 * Return the identity of the response to a visit of `url` at `time_ms`, so that
 * other records can refer to its record.
 */
void warc_visit_identity(struct slice url, uint64_t time_ms,
			 uint64_t identity_out[2]);

/* Information about a file. */
struct warc_info {
	struct slice file; /* its name */
	struct slice software;
	const char *robots; /* "classic" or "ignore" */
	uint64_t time_ms;
	uint64_t identity[2]; /* as above */
	bool is_plain;        /* not compressed */
};

/* Append a warcinfo record. */
void warc_write_info(const struct warc_info *info, struct buffer *out);

/*
 * Append a response (or revisit) record and its request record, with payload
 * and block digests (sha1, base32). Response headers that describe an undone
 * coding (Content-Encoding, Transfer-Encoding, and its length) are renamed to
 * X-Archive-Orig-, and Content-Length is the length of `body`.
 */
void warc_write_exchange(const struct warc_exchange *exchange,
			 struct buffer *out);

/*
 * The text of a page, or the reason for a failed extraction: the records of WET
 * files.
 */
struct warc_conversion {
	const char *error; /* one word: there is no text, and `text` is the
			      reason; or NULL */
	struct slice url;
	uint64_t time_ms;       /* of the visit of the page */
	uint64_t source_ms;     /* of the visit whose archived response is the
				   source; 0 = none */
	const char *media_type; /* of the text */
	struct slice sequence;  /* position to continue from: a private field */
	struct slice text;
	uint64_t identity[2]; /* as above */
	bool is_plain;        /* not compressed */
};

/*
 * Append a conversion record with its block digest; WARC-Refers-To is the
 * record of warc_visit_identity(). After an error, append a metadata record
 * with the fields `error` and `message`.
 */
void warc_write_conversion(const struct warc_conversion *conversion,
			   struct buffer *out);

#endif
