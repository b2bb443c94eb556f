/*
 * daemon/nodes/copying_parts.h - what the copying thread does with a
 * partition, in three files: copying.c follows its log, owning.c adopts and
 * leaves it, mending.c starts its replica, also again. Call these functions
 * only in this thread and never with the lock held.
 */
#ifndef DAEMON_NODES_COPYING_PARTS_H
#define DAEMON_NODES_COPYING_PARTS_H

#include "daemon/nodes/cluster_parts.h"

/*
 * Read the last entry of the log this often, because hints may be lost and
 * numbers may change.
 */
enum { LOOK_MS = 60000 };

/* copying.c */

void set_partition_state(struct cluster *cluster, unsigned number,
			 enum partition_state state);

/* Return a copy of the partition's state. */
struct partition view_partition(struct cluster *cluster, unsigned number);

/* Read one number of a partition under the lock. */
uint64_t number_of(struct cluster *cluster, const uint64_t *field);

bool holds_lease(struct cluster *cluster);

/* owning.c */

/* Return whether this node should own the partition and can adopt it. */
bool is_to_be_taken(const struct cluster *cluster,
		    const struct partition *partition);

/*
 * Write us into the partition's row, and adopt it if no other node was faster.
 */
void take(struct cluster *cluster, unsigned number);

/* One turn of a partition that we own. */
void own(struct cluster *cluster, unsigned number,
	 const struct partition *partition);

/*
 * Leave a partition that another node owns or may own: from now on fetch,
 * commit and answer nothing for it.
 */
enum error leave(struct cluster *cluster, unsigned number);

/* Retry leave() after it failed. */
void leave_again(struct cluster *cluster, unsigned number,
		 const struct partition *partition);

/*
 * Name a node with a complete replica as owner: our data is unusable, but the
 * row names us.
 */
void give_up(struct cluster *cluster, unsigned number);

/* Start or stop handling requests about the partition. */
void answer_questions(struct cluster *cluster, unsigned number, bool answers);

/* mending.c */

/*
 * Start a replica with the newest snapshot, if there is one, even if the log is
 * complete: data from before the node group (templatectl partition migrate) has
 * number 0 and is in no log. Return false if the snapshot store does not
 * respond now.
 */
bool begin_copy(struct cluster *cluster, unsigned number);

/* Decide how to continue after the log could not be read. */
void mend_copy(struct cluster *cluster, unsigned number, enum error error);

/* Delete all data of the replica before anything else happens with it. */
void drop_copy(struct cluster *cluster, unsigned number);

/* damage.c: note that rows of the partition are unreadable. */
void note_damage(struct cluster *cluster, unsigned number);

/* After ERR_CORRUPT: return whether rows of the partition are unreadable. */
bool is_damaged(struct cluster *cluster, unsigned number);

/* Check all partitions that we own. */
void look_for_all_damage(struct cluster *cluster);

/*
 * Return whether rows are damaged and other nodes have had time to report their
 * own damage.
 */
bool is_damage_told(const struct cluster *cluster,
		    const struct partition *partition);

/*
 * Give a damaged partition to a node with a complete replica, and delete the
 * data here once that node owns it; or continue a deletion. Return false if the
 * data must be kept.
 */
bool replace_copy(struct cluster *cluster, unsigned number,
		  const struct partition *partition);

/* Delete a replica that differs from the owner's, now or as soon as allowed. */
void replace_differing(struct cluster *cluster, unsigned number);

/* Return whether this error makes a replica unusable for now. */
bool is_useless(enum error error);

/* Note a full disk: this node adopts no partitions and gives away its own. */
void note_full(struct cluster *cluster, enum error error);

/*
 * Have other nodes adopt all our partitions for some time. Return false if they
 * own them already.
 */
bool yield_sites(struct cluster *cluster);

/* Find another node with a complete replica; false if no node has one. */
bool find_whole(struct cluster *cluster, unsigned number,
		char name[NODE_NAME_BYTES]);

/* following.c */

/*
 * Read the log to its end; *end_out is its last entry. ERR_NOT_FOUND: the log
 * ends with another entry than the applied one, or was started again.
 */
enum error read_to_end(struct cluster *cluster, unsigned number,
		       struct log_end *end_out);

/*
 * Return whether the last applied entry is this one, or, if its hash is
 * unknown, has this number.
 */
bool ends_with(struct cluster *cluster, unsigned number,
	       const struct log_end *end);

#endif
