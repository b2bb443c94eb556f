/*
 * crawl/warc_write.h - writes records of WARC 1.1 (ISO 28500:2017) and reads
 * archives. Each record is a gzip member of its own, unless is_plain is set.
 * Pure.
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
	struct slice url;     /* canonical URL */
	uint64_t time_ms;     /* time of the request */
	struct slice address; /* IP address of the server, or empty */
	struct slice request; /* head of the request as sent, or empty */
	struct slice
		headers;   /* head of the response as received, with its status
			      line; the blank line at the end is optional */
	struct slice body; /* decoded body */
	bool is_cut;       /* the body is incomplete */
	const char *cut_reason; /* value of WARC-Truncated: "length", "time",
				   "disconnect" */
	bool is_revisit; /* the status is 304, or the body has not changed since
			    the last visit */
	uint64_t revisit_ms;  /* time of the visit that received the body; 0 =
				 unknown */
	uint64_t identity[2]; /* unique; the ids of the records (UUID v4) are
				 computed from it */
};

/* Compute the identity of the response to a visit of `url` at `time_ms`. */
void warc_visit_identity(struct slice url, uint64_t time_ms,
			 uint64_t identity_out[2]);

/* Information about an archive file, for its warcinfo record. */
struct warc_info {
	struct slice file; /* name of the file */
	struct slice software;
	/* how robots.txt was handled: "classic" or "ignore" */
	const char *robots;
	uint64_t time_ms;
	uint64_t identity[2]; /* as in struct warc_exchange */
	bool is_plain;        /* do not compress the record */
};

/* Append a warcinfo record. */
void warc_write_info(const struct warc_info *info, struct buffer *out);

/*
 * Append a response record (or a revisit record) and a request record, with
 * digests (SHA-1, base32). The prefix X-Archive-Orig- is added to headers that
 * describe a coding which was decoded; Content-Length is the size of `body`.
 */
void warc_write_exchange(const struct warc_exchange *exchange,
			 struct buffer *out);

/*
 * A record of a WET file: the text of a page, or the reason why its extraction
 * failed.
 */
struct warc_conversion {
	const char *error; /* NULL, or one word if the extraction failed; then
			      `text` is the reason */
	struct slice url;
	uint64_t time_ms;       /* time of the visit of the page */
	uint64_t source_ms;     /* time of the visit whose archived response
				   contains the page; 0 = none */
	const char *media_type; /* media type of the text */
	struct slice sequence;  /* position where the export can continue; a
				   private field */
	struct slice text;
	uint64_t identity[2]; /* as in struct warc_exchange */
	bool is_plain;        /* do not compress the record */
};

/*
 * Append a conversion record. Its WARC-Refers-To is the response record with
 * warc_visit_identity(). If the extraction failed, append a metadata record
 * with the fields `error` and `message` instead.
 */
void warc_write_conversion(const struct warc_conversion *conversion,
			   struct buffer *out);

/*
 * Reads web archives as a stream: WARC 1.0, 1.1 (ISO 28500), 0.17 and 0.18, and
 * ARC 1.0. They may be plain, gzip (one member for each record, or one for all)
 * or zstd (also with the dictionary frame of warc.zst). Memory does not grow
 * with the file.
 */

enum warc_kind {
	WARC_RESPONSE, /* an HTTP response */
	WARC_RESOURCE, /* a body without an HTTP head; http_status is 200 */
	WARC_REVISIT,  /* the content was the same as at an earlier visit */
	WARC_OTHER, /* another record: warcinfo, request, metadata, conversion,
		       dns, ... */
};

struct warc_record {
	enum warc_kind kind;
	uint64_t offset;  /* offset of the record in the file; in a compressed
			     file, the offset of the member that contains it */
	uint64_t time_ms; /* WARC-Date, or the archive date of ARC; 0 = none */
	char url[MAX_URL_BYTES + 1]; /* WARC-Target-URI as in the file, or "" */
	char type[32];        /* WARC-Type in lower case; "arc" for ARC */
	uint16_t http_status; /* status of the response; 0 = none */
	char content_type[128];
	char charset[32]; /* charset of the Content-Type, or "" */
	char redirect[MAX_URL_BYTES +
		      1];    /* Location as in the response, or "" */
	unsigned robots_tag; /* ROBOTS_TAG_* of X-Robots-Tag: see
				page/robots_tag.h */
	bool is_cut; /* the body is incomplete, because of WARC-Truncated, a
			wrong length, the size limit, or the end of the file */
	struct slice head; /* status line and headers of the response, as in the
			      file; valid until the next call */
	struct slice body; /* body without transfer coding and content coding;
			      valid until the next call */
	/*
	 * the record is not usable, for example ERR_MALFORMED or ERR_CORRUPT,
	 * but the following records can be read
	 */
	enum error error;
	char reason[160]; /* English text, if `error` is set */
};

/*
 * Reads an archive: write up to `capacity` bytes to `out` and their number to
 * *size_out; 0 at the end. After an error nothing more is read.
 */
typedef enum error warc_source(void *context, char *out, size_t capacity,
			       size_t *size_out);

/*
 * Create a reader. It truncates bodies that are larger than `max_body_bytes`.
 */
struct warc_reader *warc_reader_create(warc_source *source, void *context,
				       size_t max_body_bytes);
void warc_reader_destroy(struct warc_reader *reader); /* do nothing for NULL */

/*
 * Read the next record. record_out->error is set if it is not usable. Return
 * false if nothing more can be read: at the end of the file (*error_out is
 * ERR_NONE), or after an error (record_out->reason is its reason). After
 * damage, reading continues with the next record that is found.
 */
bool warc_next(struct warc_reader *reader, struct warc_record *record_out,
	       enum error *error_out);

/* Return the number of bytes read from the source. */
uint64_t warc_position(const struct warc_reader *reader);

#endif
