/* The main function of a program that is executed again for a role. */
#include "daemon/privsep/process.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "daemon/privsep/sandbox.h"
#include "daemon/privsep/starter.h"

enum { MAX_HELLO_BODY = 1 };

static enum error get_hello(struct channel *channel,
			    struct channel_frame *frame,
			    struct role_init *hello)
{
	enum error error = channel_receive(channel, -1, frame);
	const char *readable;

	if (error != ERR_NONE)
		return error;
	if (frame->kind != ROLE_INIT ||
	    !row_codec_decode(&role_init_layout, frame->head, hello))
		return ERR_MALFORMED;
	readable = hello->readable.data;
	if (hello->readable.size > 0 &&
	    readable[hello->readable.size - 1] != '\0')
		return ERR_MALFORMED;
	return ERR_NONE;
}

/* Return the address space in use, including libraries. */
static uint64_t process_used_bytes(void)
{
	struct buffer text = {0};
	uint64_t pages = 0;

	if (file_read("/proc/self/statm", 4096, &text) == ERR_NONE)
		pages = strtoull(text.data, NULL, 10);
	buffer_free(&text);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t limit_of(uint64_t memory_bytes)
{
	return memory_bytes == 0 ? 0 : memory_bytes + process_used_bytes();
}

/* Report the enforced layers, or the failure. */
static enum error send_ready(const struct channel *channel,
			     const struct sandbox_report *report,
			     enum error error)
{
	const struct role_ready ready = {report->holds, report->lacks,
					 error != ERR_NONE};
	struct buffer head = row_codec_encode(&role_ready_layout, &ready);

	if (channel_send(channel,
			 &(struct frame_parts){.kind = ROLE_READY,
					       .head = buffer_slice(&head),
					       .file = -1}) != ERR_NONE)
		error = ERR_STOPPED;
	buffer_free(&head);
	return error;
}

/* The spawner needs no options for its sandbox. */
static enum error enter_starter(const struct channel *channel)
{
	struct sandbox_report report = {0};
	enum error error = sandbox_enter(
		&(struct sandbox_options){.role = ROLE_SPAWNER}, &report);

	return send_ready(channel, &report, error);
}

/*
 * Enter the sandbox with the options of the first frame, and report the
 * enforced layers.
 */
static enum error process_enter_sandbox(enum role role, struct channel *channel)
{
	struct sandbox_report report = {0};
	struct role_init hello;
	struct channel_frame frame;
	enum error error = get_hello(channel, &frame, &hello);

	if (error == ERR_NONE) {
		const char *readable[] = {
			hello.readable.size > 0 ? hello.readable.data : NULL,
			NULL};

		error = sandbox_enter(
			&(struct sandbox_options){
				.role = role,
				.readable = readable,
				.memory_bytes = limit_of(hello.memory_bytes)},
			&report);
	}
	frame_free(&frame);
	if (error == ERR_STOPPED || error == ERR_MALFORMED)
		return error;
	return send_ready(channel, &report, error);
}

/*
 * Ignore the stop signals: a service manager or a terminal may signal all
 * processes, but the main process stops the others when it no longer needs
 * them. A write over the file size limit then fails with an error.
 */
static void leave_signals(void)
{
	static const int numbers[] = {SIGPIPE, SIGTERM, SIGINT, SIGHUP,
				      SIGXFSZ};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		signal(numbers[i], SIG_IGN);
}

int process_main(const char *name, const struct role_program *programs)
{
	struct channel channel = channel_of(ROLE_SOCKET, MAX_HELLO_BODY);
	enum role role = ROLE_MAIN;
	enum error error = ERR_NONE;

	while (role < ROLE_COUNT && strcmp(name, role_name(role)) != 0)
		role++;
	if (role == ROLE_COUNT || programs[role].main == NULL)
		return EXIT_FAILURE;
	leave_signals();
	if (programs[role].prepare != NULL)
		programs[role].prepare();
	error = role == ROLE_SPAWNER ? enter_starter(&channel)
				     : process_enter_sandbox(role, &channel);
	if (error != ERR_NONE)
		return EXIT_FAILURE;
	free(channel.room);
	programs[role].main(ROLE_SOCKET);
	return EXIT_SUCCESS;
}
