#include "daemon/http/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "daemon/runtime/activation.h"

static int listen_open_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static bool make_address(const char *path, struct sockaddr_un *address_out)
{
	size_t length = strlen(path);

	*address_out = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (length == 0 || length >= sizeof(address_out->sun_path)) {
		log_error("socket %s: the path must have 1 to %zu bytes; "
			  "change socket.path",
			  path, sizeof(address_out->sun_path) - 1);
		return false;
	}
	memcpy(address_out->sun_path, path, length);
	return true;
}

/*
 * Return whether a process accepts connections there. A full queue, or missing
 * permission to connect, counts as true.
 */
static bool listen_path_is_served(const struct sockaddr_un *address)
{
	int file = listen_open_socket();
	bool is_there;

	if (file < 0)
		return false;
	is_there = connect(file, (const struct sockaddr *)address,
			   sizeof(*address)) == 0 ||
		   errno == EAGAIN || errno == EINPROGRESS || errno == EPERM;
	close(file);
	return is_there;
}

/* Remove an unused socket file at `path`, if there is one. */
static enum error clear_path(const char *path,
			     const struct sockaddr_un *address)
{
	struct stat status;

	if (lstat(path, &status) != 0)
		return ERR_NONE;
	if (!S_ISSOCK(status.st_mode)) {
		log_error("socket %s: the file is not a socket; remove it or "
			  "change socket.path",
			  path);
		return ERR_IO;
	}
	if (listen_path_is_served(address)) {
		log_error("socket %s: another daemon accepts connections on "
			  "it; stop it or change socket.path",
			  path);
		return ERR_BUSY;
	}
	if (unlink(path) != 0) {
		log_error("socket %s: cannot remove the stale file: %s", path,
			  strerrordesc_np(errno));
		return ERR_IO;
	}
	return ERR_NONE;
}

enum error listen_clear(const char *path)
{
	struct sockaddr_un address;

	if (!make_address(path, &address))
		return ERR_TOO_LARGE;
	/* with an activation socket this process itself would accept */
	return activation_file(path) >= 0 ? ERR_NONE
					  : clear_path(path, &address);
}

/*
 * Bind and listen. The file gets the mode of the descriptor, less the umask, so
 * it never permits more than `mode`. Bits that the umask removed are added
 * before listen(), that is, before any client can connect.
 */
static bool listen_bind(int file, const char *path, uint32_t mode,
			const struct sockaddr_un *address)
{
	return file >= 0 && fchmod(file, (mode_t)mode) == 0 &&
	       bind(file, (const struct sockaddr *)address, sizeof(*address)) ==
		       0 &&
	       chmod(path, (mode_t)mode) == 0 && listen(file, SOMAXCONN) == 0;
}

/* Duplicate the descriptor: the original stays open for the next start. */
static enum error take_over(int handed, struct listen_socket *listening_out)
{
	int file = fcntl(handed, F_DUPFD_CLOEXEC, 0);

	if (file < 0)
		return ERR_IO;
	if (fcntl(file, F_SETFL, O_NONBLOCK) != 0) {
		close(file);
		return ERR_IO;
	}
	*listening_out = (struct listen_socket){.file = file};
	return ERR_NONE;
}

enum error listen_on(const char *path, uint32_t mode,
		     struct listen_socket *listening_out)
{
	struct sockaddr_un address;
	struct stat status = {0};
	enum error error = listen_clear(path);
	int file = activation_file(path);

	if (error != ERR_NONE)
		return error;
	if (file >= 0)
		return take_over(file, listening_out);
	make_address(path, &address);
	file = listen_open_socket();
	if (!listen_bind(file, path, mode, &address) ||
	    lstat(path, &status) != 0) {
		log_error("socket %s: %s; the daemon needs write permission "
			  "for its folder",
			  path, strerrordesc_np(errno));
		if (file >= 0)
			close(file);
		return ERR_IO;
	}
	*listening_out = (struct listen_socket){
		.file = file,
		.device = status.st_dev,
		.inode = status.st_ino,
	};
	return ERR_NONE;
}

void listen_hide(const struct listen_socket *listening, const char *path)
{
	struct stat status;

	if (listening->file >= 0 && lstat(path, &status) == 0 &&
	    status.st_dev == listening->device &&
	    status.st_ino == listening->inode)
		unlink(path);
}

void listen_end(struct listen_socket *listening)
{
	if (listening->file >= 0)
		close(listening->file);
	listening->file = -1;
}
