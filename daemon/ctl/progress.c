#include "daemon/ctl/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "daemon/runtime/clock.h"
#include "daemon/runtime/terminal.h"

enum { BAR_WIDTH = 24, DRAW_EVERY_MS = 100 };

struct progress progress_begin(const char *label)
{
	return (struct progress){.is_shown = terminal_size(STDERR_FILENO) > 0,
				 .label = label,
				 .started_ms = clock_steady_ms()};
}

static void progress_append_bar(uint64_t done, uint64_t total,
				struct buffer *line)
{
	uint64_t filled = total == 0 ? 0 : BAR_WIDTH * done / total;

	buffer_append_text(line, " [");
	for (uint64_t i = 0; i < BAR_WIDTH; i++)
		buffer_append_byte(line, i < filled ? '#' : ' ');
	buffer_printf(line, "] %3" PRIu64 "%%",
		      total == 0 ? 0 : 100 * done / total);
}

void progress_line(const struct progress_state *state, size_t width,
		   struct buffer *out)
{
	uint64_t total = state->total;
	uint64_t done = state->done < total ? state->done : total;
	struct buffer line = {0};

	buffer_append_text(&line, state->label);
	progress_append_bar(done, total, &line);
	buffer_printf(&line, "  %" PRIu64 "/%" PRIu64, done, total);
	if (state->elapsed_ms > 0 && done > 0) {
		uint64_t rest_s =
			(total - done) * state->elapsed_ms / done / 1000;

		buffer_printf(&line, "  %.0f/s  %" PRIu64 ":%02" PRIu64 " left",
			      (double)done * 1000 / (double)state->elapsed_ms,
			      rest_s / 60, rest_s % 60);
	}
	if (state->note != NULL)
		buffer_printf(&line, "  %s", state->note);
	terminal_cut(buffer_slice(&line), width, out);
	buffer_free(&line);
}

void progress_show(struct progress *progress, uint64_t done, uint64_t total,
		   const char *note)
{
	struct buffer line = {0};
	uint64_t now_ms;

	if (!progress->is_shown)
		return;
	now_ms = clock_steady_ms();
	if (progress->drawn_ms != 0 &&
	    now_ms - progress->drawn_ms < DRAW_EVERY_MS)
		return;
	progress->drawn_ms = now_ms;
	progress_line(
		&(struct progress_state){
			.label = progress->label,
			.done = done,
			.total = total,
			.elapsed_ms = now_ms - progress->started_ms,
			.note = note,
		},
		terminal_size(STDERR_FILENO) - 1, &line);
	fprintf(stderr, "\r\033[K%s", line.data);
	fflush(stderr);
	buffer_free(&line);
}

void progress_clear(struct progress *progress)
{
	if (!progress->is_shown || progress->drawn_ms == 0)
		return;
	fputs("\r\033[K", stderr);
	progress->drawn_ms = 0;
}
