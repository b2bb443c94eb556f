/*
 * daemon/cluster/copying_parts.h - what the copying thread does with a
 * partition, in three files: copying.c follows its log, owning.c takes and
 * leaves it, mending.c begins its copy, and begins it again. All is for this
 * thread alone, and none is called with the lock held.
 */
#ifndef DAEMON_CLUSTER_COPYING_PARTS_H
#define DAEMON_CLUSTER_COPYING_PARTS_H

#include "daemon/cluster/cluster_parts.h"

/* Until the log is asked for its last entry, as hints are lost, and numbers
 * change. */
enum { LOOK_MS = 60000 };

/* copying.c */

void set_partition_state(struct cluster *cluster, unsigned number,
			 enum partition_state state);

/* A copy of what is known and wanted. */
struct partition view_partition(struct cluster *cluster, unsigned number);

/* One number of a partition. */
uint64_t number_of(struct cluster *cluster, const uint64_t *field);

bool holds_lease(struct cluster *cluster);

/* owning.c */

/* Whether the partition is to be ours, and is there to be taken. */
bool is_to_be_taken(const struct cluster *cluster,
		    const struct partition *partition);

/* It is to be ours: we say so in its row, and take it when nobody was faster.
 */
void take(struct cluster *cluster, unsigned number);

/* An owner's turn. */
void own(struct cluster *cluster, unsigned number,
	 const struct partition *partition);

/* It is not ours any more, or may not be: nothing of it is fetched, committed
 * or answered from here on. */
enum error leave(struct cluster *cluster, unsigned number);

/* It was not left to its end. */
void leave_again(struct cluster *cluster, unsigned number,
		 const struct partition *partition);

/* What is here is of no use, and the row names us: it is to be of one who has
 * all of it. */
void give_up(struct cluster *cluster, unsigned number);

/* Begin, or end, to answer questions about it. */
void answer_questions(struct cluster *cluster, unsigned number, bool answers);

/* mending.c */

/*
 * A copy begins with the newest snapshot, if there is one, even when the log
 * has all since its first entry: what was there before the cluster
 * (templatectl partition migrate) has number 0 and is in no log. False: the
 * depot does not say now.
 */
bool begin_copy(struct cluster *cluster, unsigned number);

/* What is to be done when its log could not be read on. */
void mend_copy(struct cluster *cluster, unsigned number, enum error error);

/* All of it goes, before anything else is done with it. */
void drop_copy(struct cluster *cluster, unsigned number);

/*
 * damage.c: rows of the partition cannot be read, as somebody has found.
 */
void note_damage(struct cluster *cluster, unsigned number);

/* After ERR_CORRUPT: whether rows of the partition cannot be read. */
bool is_damaged(struct cluster *cluster, unsigned number);

/* The same, of all that is ours. */
void look_for_all_damage(struct cluster *cluster);

/* Whether rows are damaged, and others have had time to say that theirs are,
 * too. */
bool is_damage_told(const struct cluster *cluster,
		    const struct partition *partition);

/* Give a damaged partition to a node that has it whole, and drop it when that
 * owns it; or go on to drop one. False: it is to be kept. */
bool replace_copy(struct cluster *cluster, unsigned number,
		  const struct partition *partition);

/* Drop a copy that is not that of its owner, now or when it may be. */
void replace_differing(struct cluster *cluster, unsigned number);

/* Why a copy here is of no use, for now. */
bool is_useless(enum error error);

/* A node whose disk is full takes nothing, and gives away what it has. */
void note_full(struct cluster *cluster, enum error error);

/* For some time others are to have all that is ours. False: they are already.
 */
bool yield_sites(struct cluster *cluster);

/* Another node that has all of it; false: there is none. */
bool find_whole(struct cluster *cluster, unsigned number,
		char name[NODE_NAME_BYTES]);

/* following.c */

/* All that there is of the log. *end_out: its last entry. ERR_NOT_FOUND: the
 * log ends with another one than what is here, or began anew. */
enum error read_to_end(struct cluster *cluster, unsigned number,
		       struct log_end *end_out);

/* What is here ends with this entry, or has no hash and ends with its number.
 */
bool ends_with(struct cluster *cluster, unsigned number,
	       const struct log_end *end);

#endif
