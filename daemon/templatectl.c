/* daemon/templatectl.c - the client of the daemon, and the offline verbs. */
#include <stddef.h>

#include "daemon/ctl/ctl.h"
#include "daemon/runtime/library_memory.h"

static const struct verb *const verbs[] = {
	/* with the daemon */
	&verb_watch,
	&verb_sites,
	&verb_site,
	&verb_explain_url,
	&verb_clusters,
	&verb_cuts,
	&verb_report,
	&verb_pages,
	&verb_template,
	&verb_text,
	&verb_texts,
	&verb_export,
	&verb_ingest,
	&verb_events,
	&verb_ack,
	&verb_silence,
	&verb_silences,
	&verb_unsilence,
	&verb_hook,
	&verb_guard,
	&verb_poison,
	&verb_ui,
	&verb_token,
	&verb_status,
	&verb_verify,
	&verb_backup,
	&verb_compact,
	/* on files */
	&verb_extract,
	&verb_apply,
	&verb_explain,
	&verb_cluster,
	&verb_batch,
	&verb_methods,
	&verb_features,
	&verb_train,
	&verb_restore,
	&verb_salvage,
	&verb_completion,
	NULL,
};

int main(int argc, char **argv)
{
	library_memory_take();
	return (int)ctl_run(verbs, argc < 1 ? 0 : (size_t)argc - 1,
			    (const char *const *)argv + 1);
}
