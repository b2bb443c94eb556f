#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/privsep/sandbox.h"
#include "tests/sandbox/attempt.h"

static int connected(int family, int type, const void *to, socklen_t bytes)
{
	int file = socket(family, type | SOCK_CLOEXEC, 0);
	int error = file < 0 || connect(file, to, bytes) != 0 ? errno : 0;

	if (file >= 0)
		close(file);
	return error;
}

static int made(int family, int type, int protocol)
{
	int file = socket(family, type | SOCK_CLOEXEC, protocol);

	if (file < 0)
		return errno;
	close(file);
	return 0;
}

static int connect_tcp(const struct surroundings *around)
{
	return connected(AF_INET, SOCK_STREAM, &around->tcp,
			 sizeof(around->tcp));
}

static int listen_tcp(const struct surroundings *around)
{
	struct sockaddr_in any = {.sin_family = AF_INET};
	int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int error = 0;

	(void)around;
	any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (file < 0 ||
	    bind(file, (const struct sockaddr *)&any, sizeof(any)) != 0 ||
	    listen(file, 1) != 0)
		error = errno;
	if (file >= 0)
		close(file);
	return error;
}

/* For a TCP socket that is no longer connected. */
static int open_fast(const struct surroundings *around)
{
	int file = around->accepted;
	const struct sockaddr none = {.sa_family = AF_UNSPEC};
	ssize_t sent;

	/* refused or not, the next one is tried */
	(void)connect(file, &none, sizeof(none));
	sent = sendto(file, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL,
		      (const struct sockaddr *)&around->tcp,
		      sizeof(around->tcp));
	return sent == 1 ? 0 : errno;
}

/* A client's connection becomes one to elsewhere. */
static int turn_connection(const struct surroundings *around)
{
	const struct sockaddr none = {.sa_family = AF_UNSPEC};

	if (connect(around->accepted, &none, sizeof(none)) != 0 ||
	    connect(around->accepted, (const struct sockaddr *)&around->tcp,
		    sizeof(around->tcp)) != 0)
		return errno;
	return 0;
}

static int answer_client(const struct surroundings *around)
{
	return send(around->accepted, "x", 1, MSG_NOSIGNAL) == 1 ? 0 : errno;
}

static int send_udp(const struct surroundings *around)
{
	return connected(AF_INET, SOCK_DGRAM, &around->tcp,
			 sizeof(around->tcp));
}

static int connect_path(const struct surroundings *around)
{
	return connected(AF_UNIX, SOCK_STREAM, &around->path,
			 sizeof(around->path));
}

static int connect_hidden(const struct surroundings *around)
{
	return connected(AF_UNIX, SOCK_STREAM, &around->hidden,
			 around->hidden_bytes);
}

static int make_pair(const struct surroundings *around)
{
	int files[2];

	(void)around;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, files) != 0)
		return errno;
	close(files[0]);
	close(files[1]);
	return 0;
}

static int pair_of(int type, int files[2])
{
	return socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, files) == 0 ? 0
								       : errno;
}

/* Send to the socket that has a name, by sendto() and by sendmsg(). */
static int send_to_name(int file, const struct sockaddr_un *name)
{
	struct sockaddr_un to = *name;
	struct iovec piece = {"x", 1};
	struct msghdr message = {.msg_name = &to,
				 .msg_namelen = sizeof(to),
				 .msg_iov = &piece,
				 .msg_iovlen = 1};

	if (sendto(file, "x", 1, MSG_NOSIGNAL, (const struct sockaddr *)&to,
		   sizeof(to)) == 1 ||
	    sendmsg(file, &message, MSG_NOSIGNAL) == 1)
		return 0;
	return errno;
}

static int send_by_pair_of(int type, const struct surroundings *around)
{
	int files[2];
	int error = pair_of(type, files);

	return error == 0 ? send_to_name(files[0], &around->datagrams) : error;
}

static int send_by_datagrams(const struct surroundings *around)
{
	return send_by_pair_of(SOCK_DGRAM, around);
}

/* The kernel makes it one of datagrams. */
static int send_by_raw_pair(const struct surroundings *around)
{
	return send_by_pair_of(SOCK_RAW, around);
}

static int send_by_stream(const struct surroundings *around)
{
	return send_by_pair_of(SOCK_STREAM, around);
}

static int send_by_socket(const struct surroundings *around)
{
	int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return file < 0 ? errno : send_to_name(file, &around->datagrams);
}

static int turn_pair(const struct surroundings *around)
{
	int files[2];
	int error = pair_of(SOCK_DGRAM, files);

	if (error != 0)
		error = pair_of(SOCK_STREAM, files);
	if (error != 0)
		return error;
	if (connect(files[0], (const struct sockaddr *)&around->datagrams,
		    sizeof(around->datagrams)) == 0 ||
	    connect(files[0], (const struct sockaddr *)&around->path,
		    sizeof(around->path)) == 0)
		return 0;
	return errno;
}

/* Which makes a file. */
static int name_pair(const struct surroundings *around)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int files[2];
	int error = pair_of(SOCK_STREAM, files);

	if (error != 0)
		return error;
	snprintf(name.sun_path, sizeof(name.sun_path), "%s", around->copy);
	return bind(files[0], (const struct sockaddr *)&name, sizeof(name)) == 0
		       ? 0
		       : errno;
}

static int make_netlink(const struct surroundings *around)
{
	(void)around;
	return made(AF_NETLINK, SOCK_RAW, 0);
}

static int make_raw(const struct surroundings *around)
{
	(void)around;
	return made(AF_INET, SOCK_RAW, IPPROTO_ICMP);
}

static int make_packet(const struct surroundings *around)
{
	(void)around;
	return made(AF_PACKET, SOCK_RAW, 0);
}

static int make_crypto(const struct surroundings *around)
{
	(void)around;
	return made(AF_ALG, SOCK_SEQPACKET, 0);
}

static int make_sctp(const struct surroundings *around)
{
	(void)around;
	return made(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
}

const struct attempt_row network_attempts[] = {
	{"connect by TCP", connect_tcp, "-++-+", 0},
	{"listen for TCP", listen_tcp, "-+---", SANDBOX_TCP},
	{"answer a client of TCP", answer_client, "+++++", 0},
	{"turn its connection elsewhere", turn_connection, "-++-+", 0},
	{"the same by fast open", open_fast, "-++-+", 0},
	{"send by UDP", send_udp, "-++-+", 0},
	{"connect to a Unix socket", connect_path, "-+---", 0},
	{"connect to an abstract Unix socket", connect_hidden, "-+---", 0},
	{"make a pair of sockets", make_pair, "+++-+", 0},
	{"send to a name by a pair of datagrams", send_by_datagrams, "-+---",
	 0},
	{"the same by a raw pair", send_by_raw_pair, "-+---", 0},
	{"the same by a pair of streams", send_by_stream, "-----", 0},
	{"the same by a socket of datagrams", send_by_socket, "-+---", 0},
	{"turn a pair elsewhere", turn_pair, "-+---", 0},
	{"give an end of a pair a name", name_pair, "++---", 0},
	{"make a netlink socket", make_netlink, "-+---", 0},
	{"make a raw socket", make_raw, "-r---", 0},
	{"make a packet socket", make_packet, "-----", 0},
	{"make a socket of the kernel's ciphers", make_crypto, "-----", 0},
	{"make a socket of SCTP", make_sctp, "-?---", 0},
	{0},
};
