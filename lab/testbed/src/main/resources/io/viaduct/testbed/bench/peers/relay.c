/* The least that a tunnel between a TUN device and a UDP socket can do: every packet, also one of 64 KiB that
 * the kernel has not segmented yet, is cut into datagrams, sent with one call, joined and written with one
 * call. No keys, no sessions, no loss repair: nobody should use it, but nothing can be faster than it by much.
 *
 *   relay TUN PORT [FAR]    without FAR it answers whoever spoke last
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define DATAGRAM 1400               /* fits 1500 with IP and UDP headers, and a margin */
#define PIECE (DATAGRAM - sizeof(struct label))
#define BURST 46                    /* 46 * 1400 < 65507, what one send may carry */
#define ROOM (128 * 1024)           /* more than a superpacket with its header */

struct label { uint32_t packet; uint16_t piece, pieces; };

static int device, wire;
static _Atomic uint64_t far_end;    /* address and port, network byte order */

static void need(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static void send_pieces(uint8_t *bytes, size_t length, struct sockaddr_in *to)
{
	char control[CMSG_SPACE(sizeof(uint16_t))] = {0};
	struct iovec part = {bytes, length};
	struct msghdr message = {.msg_name = to, .msg_namelen = sizeof *to, .msg_iov = &part, .msg_iovlen = 1};
	if (length > DATAGRAM) {
		uint16_t size = DATAGRAM;
		message.msg_control = control;
		message.msg_controllen = sizeof control;
		struct cmsghdr *head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_UDP;
		head->cmsg_type = UDP_SEGMENT;
		head->cmsg_len = CMSG_LEN(sizeof size);
		memcpy(CMSG_DATA(head), &size, sizeof size);
	}
	(void)sendmsg(wire, &message, 0); /* what the socket refuses is lost */
}

static void *outbound(void *nothing)
{
	static uint8_t packet[ROOM], out[ROOM];
	for (uint32_t number = 0;; number++) {
		ssize_t length = read(device, packet, sizeof packet);
		uint64_t far = atomic_load(&far_end);
		if (length <= 0 || far == 0)
			continue;
		struct sockaddr_in to = {AF_INET, (uint16_t)far, {(uint32_t)(far >> 32)}, {0}};
		uint16_t pieces = (uint16_t)((length + PIECE - 1) / PIECE);
		size_t filled = 0;
		for (uint16_t i = 0; i < pieces; i++) {
			size_t at = i * PIECE, size = (size_t)length - at < PIECE ? (size_t)length - at : PIECE;
			struct label label = {number, i, pieces};
			memcpy(out + filled, &label, sizeof label);
			memcpy(out + filled + sizeof label, packet + at, size);
			filled += sizeof label + size;
			if (i == pieces - 1 || (i + 1) % BURST == 0) {
				send_pieces(out, filled, &to);
				filled = 0;
			}
		}
	}
	return nothing;
}

static size_t datagram_size(struct msghdr *message, size_t whole)
{
	for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head; head = CMSG_NXTHDR(message, head))
		if (head->cmsg_level == SOL_UDP && head->cmsg_type == UDP_GRO) {
			int size;
			memcpy(&size, CMSG_DATA(head), sizeof size);
			return (size_t)size;
		}
	return whole;
}

static void inbound(void)
{
	static uint8_t in[ROOM], packet[ROOM];
	struct label last = {0, 0, 0};
	size_t filled = 0;
	uint16_t expected = 0;
	for (;;) {
		char control[CMSG_SPACE(sizeof(int))];
		struct sockaddr_in from;
		struct iovec part = {in, sizeof in};
		struct msghdr message = {.msg_name = &from, .msg_namelen = sizeof from, .msg_iov = &part,
			.msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
		ssize_t length = recvmsg(wire, &message, 0);
		if (length <= 0)
			continue;
		atomic_store(&far_end, (uint64_t)from.sin_addr.s_addr << 32 | from.sin_port);
		size_t size = datagram_size(&message, (size_t)length);
		for (size_t at = 0; at + sizeof last < (size_t)length; at += size) {
			size_t end = at + size < (size_t)length ? at + size : (size_t)length;
			struct label label;
			memcpy(&label, in + at, sizeof label);
			if (label.piece == 0)
				expected = 0, filled = 0;
			else if (label.packet != last.packet || label.piece != expected)
				continue; /* a piece was lost, and its packet with it */
			if (filled + (end - at) > sizeof packet)
				continue;
			memcpy(packet + filled, in + at + sizeof label, end - at - sizeof label);
			filled += end - at - sizeof label;
			last = label;
			if (++expected == label.pieces && write(device, packet, filled) < 0)
				continue; /* the kernel refused the packet: lost */
		}
	}
}

int main(int count, char **words)
{
	if (count < 3) {
		fputs("usage: relay TUN PORT [FAR]\n", stderr);
		return 64;
	}
	struct ifreq name = {.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR};
	strncpy(name.ifr_name, words[1], IFNAMSIZ - 1);
	int header = sizeof(struct virtio_net_hdr), on = 1, room = 8 << 20;
	need((device = open("/dev/net/tun", O_RDWR)) >= 0, "/dev/net/tun");
	need(ioctl(device, TUNSETIFF, &name) == 0, "TUNSETIFF");
	need(ioctl(device, TUNSETVNETHDRSZ, &header) == 0, "TUNSETVNETHDRSZ");
	need(ioctl(device, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6) == 0, "TUNSETOFFLOAD");
	need((wire = socket(AF_INET, SOCK_DGRAM, 0)) >= 0, "socket");
	setsockopt(wire, SOL_UDP, UDP_GRO, &on, sizeof on);
	if (setsockopt(wire, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0)
		setsockopt(wire, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
	setsockopt(wire, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
	uint16_t port = htons((uint16_t)atoi(words[2]));
	struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = count > 3 ? 0 : port};
	need(bind(wire, (struct sockaddr *)&here, sizeof here) == 0, "bind");
	if (count > 3) {
		struct in_addr far;
		need(inet_pton(AF_INET, words[3], &far) == 1, "address");
		atomic_store(&far_end, (uint64_t)far.s_addr << 32 | port);
	}
	pthread_t sender;
	need(pthread_create(&sender, NULL, outbound, NULL) == 0, "thread");
	inbound();
}
