/*
 * cluster/role.h - what the attributes of a page say its elements are for: the
 * shingles that cas has and ccs has not. Internal to cluster/.
 */
#ifndef CLUSTER_ROLE_H
#define CLUSTER_ROLE_H

struct page;
struct shingles;

/*
 * Add a shingle for each pair of an element's name and the value of a role,
 * itemprop, itemtype, rel, property, name or type of it, normalised like a
 * class; and the content of meta[property=og:type]. The name and type of a link
 * or parameter are its content and do not count, nor do values that are longer
 * than names of classes (CLASS_MAX_BYTES). Linear.
 */
void role_shingles(struct shingles *shingles, const struct page *page);

#endif
