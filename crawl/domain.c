#include "crawl/domain.h"

#include <arpa/inet.h>
#include <libpsl.h>
#include <stdbool.h>
#include <string.h>

#include "crawl/url/host.h"

static bool domain_is_address(const char *name)
{
	struct in_addr address;

	return name[0] == '[' || inet_pton(AF_INET, name, &address) == 1;
}

static struct slice without_port(struct slice host)
{
	const char *colon =
		host.size == 0 ? NULL : memrchr(host.data, ':', host.size);
	const char *bracket =
		host.size == 0 ? NULL : memrchr(host.data, ']', host.size);

	if (colon != NULL && (bracket == NULL || colon > bracket))
		host.size = (size_t)(colon - (const char *)host.data);
	return host;
}

struct slice domain_registrable(struct slice host)
{
	char name[MAX_HOST_BYTES + 1];
	struct slice whole = without_port(host);
	const char *domain;

	if (whole.size == 0 || whole.size > MAX_HOST_BYTES)
		return whole;
	memcpy(name, whole.data, whole.size);
	name[whole.size] = '\0';
	if (domain_is_address(name))
		return whole;
	domain = psl_registrable_domain(psl_builtin(), name);
	if (domain == NULL)
		return whole;
	return (struct slice){(const char *)whole.data + (domain - name),
			      whole.size - (size_t)(domain - name)};
}

const char *domain_list(void)
{
	return psl_builtin_sha1sum();
}
