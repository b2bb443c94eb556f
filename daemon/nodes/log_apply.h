/*
 * daemon/nodes/log_apply.h - what the copying thread does with a
 * partition, in three files: log_apply.c follows its log, ownership.c adopts
 * and leaves it, resync.c starts its replica, also again. Call these functions
 * only in this thread and never with the lock held.
 */
#ifndef DAEMON_NODES_LOG_APPLY_H
#define DAEMON_NODES_LOG_APPLY_H

#include "daemon/nodes/nodes_internal.h"

/*
 * Read the last entry of the log this often, because hints may be lost and
 * numbers may change.
 */
enum { LOOK_MS = 60000 };

/* log_apply.c */

void partition_set_state(struct node_group *cluster, unsigned number,
			 enum partition_state state);

/* Return a copy of the partition's state. */
struct partition partition_copy_state(struct node_group *cluster,
				      unsigned number);

/* Read one number of a partition under the lock. */
uint64_t partition_read_number(struct node_group *cluster,
			       const uint64_t *field);

bool nodes_hold_lease(struct node_group *cluster);

/* ownership.c */

/* Return whether this node should own the partition and can adopt it. */
bool ownership_should_adopt(const struct node_group *cluster,
			    const struct partition *partition);

/*
 * Write us into the partition's row, and adopt it if no other node was faster.
 */
void ownership_adopt(struct node_group *cluster, unsigned number);

/* One turn of a partition that we own. */
void ownership_turn(struct node_group *cluster, unsigned number,
		    const struct partition *partition);

/*
 * Leave a partition that another node owns or may own: from now on fetch,
 * commit and answer nothing for it.
 */
enum error ownership_leave(struct node_group *cluster, unsigned number);

/* Retry ownership_leave() after it failed. */
void ownership_retry_leave(struct node_group *cluster, unsigned number,
			   const struct partition *partition);

/*
 * Name a node with a complete replica as owner: our data is unusable, but the
 * row names us.
 */
void ownership_renounce(struct node_group *cluster, unsigned number);

/* Start or stop handling requests about the partition. */
void ownership_serve_requests(struct node_group *cluster, unsigned number,
			      bool answers);

/* resync.c */

/*
 * Start a replica with the newest snapshot, if there is one, even if the log is
 * complete: data from before the node group (templatectl partition migrate) has
 * number 0 and is in no log. Return false if the snapshot store does not
 * respond now.
 */
bool resync_begin(struct node_group *cluster, unsigned number);

/* Decide how to continue after the log could not be read. */
void resync_repair(struct node_group *cluster, unsigned number,
		   enum error error);

/* Delete all data of the replica before anything else happens with it. */
void resync_drop(struct node_group *cluster, unsigned number);

/* Check all partitions that we own. */
void replica_check_all(struct node_group *cluster);

/*
 * Return whether rows are damaged and other nodes have had time to report their
 * own damage.
 */
bool replica_check_is_reported(const struct node_group *cluster,
			       const struct partition *partition);

/*
 * Give a damaged partition to a node with a complete replica, and delete the
 * data here once that node owns it; or continue a deletion. Return false if the
 * data must be kept.
 */
bool resync_replace_damaged(struct node_group *cluster, unsigned number,
			    const struct partition *partition);

/* Delete a replica that differs from the owner's, now or as soon as allowed. */
void resync_replace_differing(struct node_group *cluster, unsigned number);

/* Return whether this error makes a replica unusable for now. */
bool resync_error_is_fatal(enum error error);

/* Note a full disk: this node adopts no partitions and gives away its own. */
void resync_note_full_disk(struct node_group *cluster, enum error error);

/*
 * Have other nodes adopt all our partitions for some time. Return false if they
 * own them already.
 */
bool resync_yield_sites(struct node_group *cluster);

/* Find another node with a complete replica; false if no node has one. */
bool resync_find_complete(struct node_group *cluster, unsigned number,
			  char name[NODE_NAME_BYTES]);

/* log_apply.c */

/*
 * Read the log to its end; *end_out is its last entry. ERR_NOT_FOUND: the log
 * ends with another entry than the applied one, or was started again.
 */
enum error log_apply_read_to_end(struct node_group *cluster, unsigned number,
				 struct log_end *end_out);

/*
 * Return whether the last applied entry is this one, or, if its hash is
 * unknown, has this number.
 */
bool log_apply_ends_with(struct node_group *cluster, unsigned number,
			 const struct log_end *end);

#endif
