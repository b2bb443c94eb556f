/*
 * crawl/warc/warc_write.h - records of WARC 1.1 (ISO 28500:2017), each a gzip
 * member of its own, if not told otherwise. Pure: bytes are appended to a
 * buffer; time and identity are passed in.
 */
#ifndef CRAWL_WARC_WARC_WRITE_H
#define CRAWL_WARC_WARC_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/slice.h"

/* A request and its answer. */
struct warc_exchange {
	struct slice url;     /* canonical */
	uint64_t time_ms;     /* time of the request */
	struct slice address; /* IP of the server, or empty */
	struct slice request; /* head of the request as sent, or empty */
	struct slice headers; /* head of the answer as it came, with its status
				 line; trailing blank line or not */
	struct slice body;    /* decoded */
	bool is_cut;          /* the body stops before its end */
	const char *cut_reason; /* "length", "time", "disconnect" */
	bool is_revisit;        /* 304, or the body is that of the last visit */
	uint64_t revisit_ms;    /* of the visit that had it; 0: unknown */
	uint64_t identity[2]; /* unique: makes the record ids (UUID, v4 form) */
};

/*
 * The identity of the answer that a visit of `url` at `time_ms` got: whoever
 * knows both can refer to its record.
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
	bool is_plain;        /* not packed */
};

/* Append a warcinfo record. */
void warc_write_info(const struct warc_info *info, struct buffer *out);

/*
 * Append a response (or revisit) record and its request record, with payload
 * and block digests (sha1, base32). The headers of the answer that speak of a
 * coding that is undone (Content-Encoding, Transfer-Encoding, and the length
 * of it) are kept under X-Archive-Orig-, and Content-Length is that of `body`.
 */
void warc_write_exchange(const struct warc_exchange *exchange,
			 struct buffer *out);

/* What a page was turned into, or why it was not: the records of WET files. */
struct warc_conversion {
	const char *error; /* one word: there is no text, and `text` says why;
			      or NULL */
	struct slice url;
	uint64_t time_ms;       /* of the visit whose page it was */
	uint64_t source_ms;     /* of the visit whose archived answer it was
				   made of; 0: there is none */
	const char *media_type; /* of the text */
	struct slice sequence;  /* where to go on: a field of our own */
	struct slice text;
	uint64_t identity[2]; /* as above */
	bool is_plain;        /* not packed */
};

/* Append a conversion record with its block digest; WARC-Refers-To is the
 * record of warc_visit_identity(). After an error a metadata record: its fields
 * are `error` and `message`. */
void warc_write_conversion(const struct warc_conversion *conversion,
			   struct buffer *out);

#endif
