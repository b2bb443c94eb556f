/* Backup and compaction of the store. */
#include "daemon/api/api_call.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "daemon/runtime/clock.h"

static enum http_verdict refuse_copy(struct call *call)
{
	return call_fail_with(call, ERR_BUSY,
			      "another backup or compaction is running");
}

static enum http_verdict fail_copy(struct call *call, enum error error)
{
	if (error == ERR_STORE_FULL)
		return call_fail_with(
			call, error,
			"the disk is too full for a copy of the store");
	if (error == ERR_BUSY)
		return call_fail_with(call, error,
				      "another process reads the store");
	return call_fail_with(call, error, "the store");
}

/* Return the size of the copy; 0 if there is none. */
static uint64_t compaction_file_size(int file)
{
	struct stat status;

	return fstat(file, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static enum http_verdict send_copy(struct call *call)
{
	int file = store_scratch_file(call->api->store);
	enum error error = ERR_IO;

	if (file >= 0)
		error = store_copy(call->api->store, file);
	if (error != ERR_NONE) {
		if (file >= 0)
			close(file);
		return fail_copy(call, error);
	}
	http_reply_file(call->exchange, 200, "application/octet-stream", file,
			compaction_file_size(file));
	return HTTP_ANSWERED;
}

enum http_verdict api_get_backup(struct call *call)
{
	enum http_verdict verdict;

	if (!call_begin_work(call, WORK_COPYING))
		return refuse_copy(call);
	verdict = send_copy(call);
	api_end_work(call->api, WORK_COPYING, call_owner(call));
	return verdict;
}

enum http_verdict api_post_compact(struct call *call)
{
	uint64_t begin_ms = clock_steady_ms();
	struct store_sizes sizes;
	enum error error;

	if (!call_begin_work(call, WORK_COPYING))
		return refuse_copy(call);
	error = store_compact(call->api->store, &sizes);
	api_end_work(call->api, WORK_COPYING, call_owner(call));
	if (error != ERR_NONE)
		return fail_copy(call, error);
	log_info("store: compacted from %llu to %llu bytes",
		 (unsigned long long)sizes.before,
		 (unsigned long long)sizes.after);
	return call_reply_json(
		call, 200,
		json_pack("{s:I, s:I, s:I}", "before_bytes",
			  (json_int_t)sizes.before, "after_bytes",
			  (json_int_t)sizes.after, "elapsed_ms",
			  (json_int_t)(clock_steady_ms() - begin_ms)));
}
