#include "daemon/http/tcp.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/runtime/tcp_address.h"

enum { MAX_PEM_BYTES = 1 << 20 };

static void tcp_wipe(char *text)
{
	if (text != NULL)
		explicit_bzero(text, strlen(text));
	free(text);
}

/*
 * Return the file as a newly allocated text; NULL, logged, if it cannot be
 * read.
 */
static char *read_pem(const char *path)
{
	struct buffer bytes = {0};
	enum error error = file_read(path, MAX_PEM_BYTES, &bytes);
	char *text = NULL;

	if (error == ERR_NONE)
		text = mem_copy_text(bytes.data == NULL ? "" : bytes.data,
				     bytes.size);
	else
		log_error("listen: %s: %s; the user who starts the daemon must "
			  "be able to read it",
			  path, file_error_text(error));
	if (bytes.data != NULL)
		explicit_bzero(bytes.data, bytes.capacity);
	buffer_free(&bytes);
	return text;
}

static int bind_to(const struct tcp_address *address)
{
	const int yes = 1;
	int family = address->socket.any.sa_family;
	int file = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			  IPPROTO_TCP);

	/* connections from before a restart must not block the port */
	if (file >= 0 &&
	    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ==
		    0 &&
	    (family != AF_INET6 || setsockopt(file, IPPROTO_IPV6, IPV6_V6ONLY,
					      &yes, sizeof(yes)) == 0) &&
	    bind(file, &address->socket.any, address->size) == 0)
		return file;
	if (file >= 0)
		close(file);
	return -1;
}

enum error tcp_open(struct tcp_listener **listener_out, const char *address,
		    const char *certificate_path, const char *key_path)
{
	struct tcp_listener *listener = mem_alloc(1, sizeof(*listener));
	bool has_tls = *certificate_path != '\0';
	struct tcp_address place;
	enum error error = ERR_IO;

	listener->file = -1;
	if (!tcp_address_read(address, &place)) {
		log_error("listen.address %s: not an address", address);
		error = ERR_MALFORMED;
		goto out;
	}
	if (has_tls) {
		listener->certificate = read_pem(certificate_path);
		listener->key = read_pem(key_path);
		if (listener->certificate == NULL || listener->key == NULL)
			goto out;
	}
	listener->file = bind_to(&place);
	if (listener->file < 0) {
		error = errno == EADDRINUSE ? ERR_BUSY : ERR_IO;
		log_error("listen.address %s: %s", address,
			  strerrordesc_np(errno));
		goto out;
	}
	*listener_out = listener;
	return ERR_NONE;
out:
	tcp_close(listener);
	return error;
}

enum error tcp_trust(struct tcp_listener *listener, const char *ca_path)
{
	assert(listener->certificate != NULL && listener->trust == NULL);
	listener->trust = read_pem(ca_path);
	return listener->trust == NULL ? ERR_IO : ERR_NONE;
}

void tcp_close(struct tcp_listener *listener)
{
	if (listener == NULL)
		return;
	if (listener->file >= 0)
		close(listener->file);
	tcp_wipe(listener->certificate);
	tcp_wipe(listener->key);
	tcp_wipe(listener->trust);
	free(listener);
}
