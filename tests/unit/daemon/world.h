/*
 * tests/unit/daemon/world.h - a store in a temporary folder with an engine, and
 * pages of a few templates: the base of the tests of daemon/.
 */
#ifndef TESTS_UNIT_DAEMON_WORLD_H
#define TESTS_UNIT_DAEMON_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cluster/signature.h"
#include "daemon/engine/engine.h"
#include "store/store.h"

struct threshold_choice;

/* The bounds of the engine. */
enum { WORLD_MAX_SITES = 4 };

struct world {
	char path[64];
	struct store *store;
	struct engine *engine;
	size_t max_bytes;     /* of the map; 0: the default */
	size_t max_sites;     /* changes count once it is opened again */
	size_t max_signature; /* 0: the default */
	enum measure measure; /* of new sites; MEASURE_CP: cpc instead */
	unsigned (*partition_of)(struct slice host); /* NULL = none */
	uint64_t now_ms;
};

/* Make the folder and open both. */
void world_open(struct world *world, size_t max_bytes);

/* The same, with a store of partitions. */
void world_open_parted(struct world *world,
		       unsigned (*partition_of)(struct slice host));

/* Close both and open them again, as a restart does. */
void world_reopen(struct world *world);

/* Close both and remove the folder. */
void world_close(struct world *world);

/* A page of template `kind` 0..3 whose text depends on `seed`. */
void world_page(struct buffer *out, unsigned kind, unsigned seed);

/*
 * A page with a block of a separate class for each bit of `mask`: with n bits
 * its signature by cpc has n + 1 members; all share the title.
 */
void world_blocks(struct buffer *out, uint32_t mask);

/* Add http://HOST/ as a site whose links are not followed, with the threshold
 * 250. */
enum error world_add_site(struct world *world, const char *host);

/* Add it again with a threshold in permille, or THRESHOLD_AUTO. */
enum error world_set_threshold(struct world *world, const char *host,
			       unsigned threshold);

/* The site gets a threshold (permille) that was chosen for `generation`. */
enum error world_choose_threshold(struct world *world, const char *host,
				  unsigned threshold, uint64_t generation);

/*
 * Choose the threshold and the weights from the pages of the site, as the
 * daemon does, and commit them. Return whether there were new weights.
 * `max_leaves` is that of struct dendrogram_options.
 */
bool world_choose(struct world *world, const char *host, size_t max_leaves);
enum error world_commit_choice(struct world *world, const char *host,
			       const struct threshold_choice *choice);

/* The row of an existing site, without its slices. */
struct site_row world_site(struct world *world, const char *host);

/* Commit a page at the URL `text`; the error of the change. */
enum error world_put(struct world *world, const char *text, struct slice html);

/* Commit that `url` answers with status 404. */
void world_remove(struct world *world, const char *url);

/* Put world_blocks(mask) at the URL `text`. */
void world_put_blocks(struct world *world, const char *text, uint32_t mask);

/* Add a site with `count` pages whose signatures have next to nothing in
 * common: its tree takes time. */
void world_put_many(struct world *world, const char *host, unsigned count);

/* Problems that invariants_verify() finds; each is printed. */
uint64_t world_problems(struct world *world);

/* The next number of a small generator: the same for the same seed. */
uint32_t world_random(uint64_t *state);

#endif
