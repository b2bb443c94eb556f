/*
 * crawl/warc_write.h - write records of WARC 1.1 (ISO 28500:2017), each in its
 * own gzip member unless is_plain is set; read archives. Pure.
 */
#ifndef CRAWL_WARC_WRITE_H
#define CRAWL_WARC_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "crawl/url/url.h"

struct warc_reader;

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

/* Return the identity of the response to a visit of `url` at `time_ms`. */
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
 * Append a response (or revisit) record and its request record, with digests
 * (sha1, base32). Headers that describe an undone coding are renamed to
 * X-Archive-Orig-, and Content-Length is the length of `body`.
 */
void warc_write_exchange(const struct warc_exchange *exchange,
			 struct buffer *out);

/* A text, or the reason for a failed extraction: records of WET files. */
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
 * Append a conversion record; WARC-Refers-To is the record of
 * warc_visit_identity(). After an error, append a metadata record with the
 * fields `error` and `message`.
 */
void warc_write_conversion(const struct warc_conversion *conversion,
			   struct buffer *out);

/*
 * Read web archives as a stream: WARC 1.0, 1.1 (ISO 28500), 0.17 and 0.18, and
 * ARC 1.0; plain, gzip (one member per record, or one for all) or zstd (also
 * with the dictionary frame of warc.zst). Memory does not grow with the file.
 */

enum warc_kind {
	WARC_RESPONSE, /* an HTTP response: the fields below are set */
	WARC_RESOURCE, /* a body without HTTP; http_status is 200 */
	WARC_REVISIT,  /* the same content as before */
	WARC_OTHER,    /* warcinfo, request, metadata, conversion, dns... */
};

struct warc_record {
	enum warc_kind kind;
	uint64_t offset;  /* offset in the file of the record, or of the
			     compressed member that contains it */
	uint64_t time_ms; /* WARC-Date, ARC's archive date; 0 = none */
	char url[MAX_URL_BYTES + 1]; /* WARC-Target-URI as written, or "" */
	char type[32];        /* WARC-Type in lower case; "arc" for ARC */
	uint16_t http_status; /* 0 = none */
	char content_type[128];
	char charset[32];                 /* of the Content-Type, or "" */
	char redirect[MAX_URL_BYTES + 1]; /* Location as written, or "" */
	unsigned robots_tag; /* of X-Robots-Tag: see page/robots_tag.h */
	bool is_cut;       /* the body is incomplete: by WARC-Truncated, a wrong
			      length, the size limit, or the end of the file */
	struct slice body; /* without transfer and content coding; valid until
			      the next call */
	enum error error;  /* this record is not usable, but reading can
			      continue: ERR_MALFORMED, ERR_CORRUPT... */
	char reason[160];  /* English, if error is set */
};

/* Write up to `capacity` bytes to `out`; 0 at the end. An error stops it. */
typedef enum error warc_source(void *context, char *out, size_t capacity,
			       size_t *size_out);

/* Bodies are truncated at `max_body_bytes`. */
struct warc_reader *warc_reader_create(warc_source *source, void *context,
				       size_t max_body_bytes);
void warc_reader_destroy(struct warc_reader *reader); /* NULL is a no-op */

/*
 * Return the next record, usable or not (record_out->error). False at the end
 * of the file, or if the rest cannot be read: *error_out states which
 * (ERR_NONE: the end) and record_out->reason why. Reading continues after
 * damage at the next record found.
 */
bool warc_next(struct warc_reader *reader, struct warc_record *record_out,
	       enum error *error_out);

/* Return the number of bytes read from the source. */
uint64_t warc_position(const struct warc_reader *reader);

#endif
