#include <arpa/inet.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "crawl/transfer.h"

static unsigned port_of(const struct url *url)
{
	const char *bracket = strchr(url->host, ']');
	const char *colon = strchr(bracket == NULL ? url->host : bracket, ':');

	if (colon != NULL)
		return (unsigned)strtoul(colon + 1, NULL, 10);
	return url->is_https ? 443 : 80;
}

static void fail_refused(struct fetch_transfer *transfer, const char *address)
{
	transfer_fail(transfer, ERR_ADDRESS_FORBIDDEN,
		      "%.60s is a private or reserved address", address);
}

bool transfer_check(struct fetch_transfer *transfer)
{
	const struct fetch_options *options = &transfer->plan->options;
	unsigned port = port_of(&transfer->url);
	bool is_port_ok = transfer->is_port_ok ||
			  address_filter_allows_port(options->ports,
						     options->port_count, port);

	if (transfer->is_proxied && !options->is_proxy_trusted)
		transfer_fail(
			transfer, ERR_ADDRESS_FORBIDDEN,
			"the proxy is not trusted: set crawl.proxy_trusted");
	else if (transfer->is_private_ok)
		return true;
	else if (!is_port_ok)
		transfer_fail(transfer, ERR_ADDRESS_FORBIDDEN,
			      "port %u is not allowed: see crawl.allowed_ports",
			      port);
	else if (transfer->is_proxied &&
		 address_filter_is_private_name(transfer->url.host))
		/* the proxy resolves names, where there is no address filter */
		fail_refused(transfer, transfer->url.host);
	return transfer->result.error == ERR_NONE;
}

/* Return whether any address is allowed: the address of a trusted proxy. */
static bool is_open(const struct fetch_transfer *transfer)
{
	return transfer->is_private_ok || transfer->is_proxied;
}

/* Return the networks that the operator allows, if the request may use them. */
static size_t open_networks(const struct fetch_transfer *transfer)
{
	return transfer->is_network_ok ? transfer->plan->options.allowed_count
				       : 0;
}

static bool may_connect(const struct fetch_transfer *transfer,
			const struct sockaddr *address)
{
	return is_open(transfer) ||
	       address_filter_allows(address, transfer->plan->options.allowed,
				     open_networks(transfer));
}

/*
 * Discard unsent data when the socket is closed, also when the process is
 * killed. Otherwise the kernel would retry, and a request of a disconnected
 * node could reach the server after reconnection, while another node owns the
 * host.
 */
static curl_socket_t transfer_open_socket(const struct curl_sockaddr *target)
{
	const struct linger linger = {.l_onoff = 1, .l_linger = 0};
	curl_socket_t opened =
		socket(target->family, target->socktype | SOCK_CLOEXEC,
		       target->protocol);

	if (opened >= 0)
		setsockopt(opened, SOL_SOCKET, SO_LINGER, &linger,
			   sizeof(linger));
	return opened;
}

/* Check each address after DNS resolution, before connecting. */
curl_socket_t transfer_on_open(void *context, curlsocktype purpose,
			       struct curl_sockaddr *target)
{
	struct fetch_transfer *transfer = context;
	/* The address is longer than struct sockaddr. */
	const struct sockaddr *address =
		(const void *)((const char *)target +
			       offsetof(struct curl_sockaddr, addr));
	bool is_internet =
		target->family == AF_INET || target->family == AF_INET6;

	(void)purpose;
	if (!is_internet || !may_connect(transfer, address)) {
		address_filter_format(address, transfer->refused,
				      sizeof(transfer->refused));
		return CURL_SOCKET_BAD;
	}
	transfer->is_connected = true;
	return transfer_open_socket(target);
}

/*
 * Check the connection before the request is sent, also a reused connection,
 * which a transfer with more permissions may have opened.
 */
/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's type */
int transfer_on_ready(void *context, char *remote, char *local, int remote_port,
		      int local_port)
{
	struct fetch_transfer *transfer = context;
	(void)local;
	(void)remote_port;
	(void)local_port;
	if (is_open(transfer) ||
	    address_filter_allows_text(remote, transfer->plan->options.allowed,
				       open_networks(transfer)))
		return CURL_PREREQFUNC_OK;
	fail_refused(transfer, remote);
	return CURL_PREREQFUNC_ABORT;
}

void transfer_fail_refused(struct fetch_transfer *transfer)
{
	if (!transfer->is_connected && transfer->refused[0] != '\0')
		fail_refused(transfer, transfer->refused);
}
