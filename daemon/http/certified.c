/* Verification of client certificates. */
#include "daemon/http/http.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "daemon/http/exchange.h"
#include "daemon/http/tcp.h"

bool http_is_certified(const struct http_exchange *exchange)
{
	const struct tcp_listener *listener =
		exchange->server->options.listener;
	/* reject certificates for servers */
	gnutls_typed_vdata_st purpose = {
		.type = GNUTLS_DT_KEY_PURPOSE_OID,
		.data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT,
	};
	const union MHD_ConnectionInfo *info;
	unsigned status = 0;

	if (listener == NULL || listener->trust == NULL)
		return false;
	info = MHD_get_connection_info(exchange->connection,
				       MHD_CONNECTION_INFO_GNUTLS_SESSION);
	return info != NULL && info->tls_session != NULL &&
	       gnutls_certificate_verify_peers(info->tls_session, &purpose, 1,
					       &status) == GNUTLS_E_SUCCESS &&
	       status == 0;
}
