/*
 * Jobs that add sites: many jobs in one commit, where POST /v1/sites needs one
 * commit each.
 */
#include "daemon/api/api_call.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/api/job_request.h"
#include "daemon/api/site_request.h"

/* Data that a seed points to. */
struct import_plan {
	struct url url;
	struct site_request request;
};

struct import_batch {
	const struct api *api;
	const struct config *config; /* current at the start; a reference */
	struct txn txn;
	unsigned partition;
	uint64_t before;
	struct import_plan *plans; /* [count] */
	struct seed *seeds;        /* [count] */
	size_t count;
};

static void begin_seeding(struct import_batch *seeding, struct api *api,
			  unsigned partition, size_t max)
{
	*seeding = (struct import_batch){
		.api = api,
		.partition = partition,
		.config = api_acquire_config(api),
		.plans = mem_alloc(max, sizeof(*seeding->plans)),
		.seeds = mem_alloc(max, sizeof(*seeding->seeds)),
	};
	seeding->txn = txn_begin_read(api->store);
}

static void end_seeding(struct import_batch *seeding)
{
	for (size_t i = 0; i < seeding->count; i++)
		site_request_free(&seeding->plans[i].request);
	free(seeding->plans);
	free(seeding->seeds);
	config_release(seeding->config);
}

/*
 * Find the options of the job's site, including changes by earlier jobs; false
 * if the site is new.
 */
static bool find_options(struct import_batch *seeding, const char *host,
			 struct site_options *options_out)
{
	for (size_t i = seeding->count; i-- > 0;) {
		const struct seed *seed = &seeding->seeds[i];

		if (seed->url == NULL || strcmp(seed->url->host, host) != 0)
			continue;
		*options_out = seed->options;
		return true;
	}
	return site_options_find(&seeding->txn, host, options_out);
}

/*
 * Plan the job. If it is invalid, append the reason to `why` and return false.
 */
static bool import_plan_site(struct import_batch *seeding, json_t *job,
			     struct buffer *why)
{
	struct import_plan *plan = &seeding->plans[seeding->count];
	const char *url = json_string_value(json_object_get(job, "url"));
	struct site_options known;
	bool is_known;
	bool is_read;

	if (url_parse(&plan->url, slice_of(url), NULL) != ERR_NONE ||
	    api_check_partition(seeding->api, seeding->partition, "seed",
				plan->url.host, why) != ERR_NONE)
		return false;
	json_object_del(job, "verb");
	json_object_del(job, "id");
	is_known = find_options(seeding, plan->url.host, &known);
	is_read = site_request_read(&plan->request, job, seeding->config,
				    &plan->url, is_known ? &known : NULL);
	if (!is_read)
		buffer_append_text(why, plan->request.message);
	return is_read;
}

/* Return false if the job has another verb. */
static bool plan_job(struct import_batch *seeding, struct import_site *job)
{
	struct seed *seed = &seeding->seeds[seeding->count];
	struct import_plan *plan = &seeding->plans[seeding->count];
	char host[MAX_HOST_BYTES + 1];
	const char *reason;
	json_t *json = json_loadb(job->data.size == 0 ? "" : job->data.data,
				  job->data.size, 0, NULL);
	const char *verb = job_verb(json, host, &reason);
	bool is_seed = verb == NULL || strcmp(verb, "seed") == 0;

	*seed = (struct seed){.mark = job->mark};
	if (verb == NULL)
		buffer_append_text(&job->why, reason);
	else if (is_seed && import_plan_site(seeding, json, &job->why))
		seed->url = &plan->url;
	seed->options = plan->request.options;
	seeding->count += is_seed;
	json_decref(json);
	return is_seed;
}

/* Commit the plans; return the number of jobs done. */
static size_t import_commit(struct import_batch *seeding,
			    struct import_site *jobs)
{
	struct change change = {
		.kind = CHANGE_JOBS,
		.jobs = {.partition = seeding->partition,
			 .seeds = seeding->seeds,
			 .count = seeding->count,
			 .before = seeding->before},
	};

	if (seeding->count == 0 ||
	    pipeline_command(seeding->api->pipeline, &change) != ERR_NONE)
		return 0;
	for (size_t i = 0; i < change.jobs.done; i++)
		if (seeding->seeds[i].error != ERR_NONE)
			buffer_append_text(&jobs[i].why, API_TOO_MANY_SITES);
	return change.jobs.done;
}

size_t api_seed(struct api *api, unsigned partition, struct import_site *jobs,
		size_t count, uint64_t before)
{
	struct import_batch seeding;
	size_t done = 0;
	bool is_seed = true;

	begin_seeding(&seeding, api, partition, count);
	seeding.before = before;
	for (size_t i = 0; i < count && is_seed; i++)
		is_seed = plan_job(&seeding, &jobs[i]);
	if (txn_end(&seeding.txn) == ERR_NONE)
		done = import_commit(&seeding, jobs);
	end_seeding(&seeding);
	return done;
}
