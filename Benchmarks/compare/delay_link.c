// A network cable with a delay, for machines whose kernel has no netem. It has two TUN devices, one in each of two
// network namespaces, and this program between them. It hands every packet on after so many microseconds. As it works
// on packets, the handshake of a connection is delayed as everything else is.
//
//   delay_link NAMESPACE_A NAMESPACE_B DELAY_US [BYTES_PER_SECOND]
//
// The namespaces are paths, such as /run/netns/a. The devices are called scrub0 in both; who starts this gives them
// addresses. It writes "ready" when they are there and ends when its standard input does.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { packet_limit = 2048, queue_limit = 1 << 15 };

struct packet {
    int64_t due;
    int count;
    unsigned char bytes[packet_limit];
};

// One direction; packets leave in the order in which they came.
struct direction {
    int from, to;
    struct packet *packets;
    unsigned first, count;
    int64_t free_at;
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int device(const char *namespace) {
    int place = open(namespace, O_RDONLY | O_CLOEXEC);
    if (place < 0 || setns(place, CLONE_NEWNET) < 0) fail(namespace);
    close(place);
    int tunnel = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (tunnel < 0) fail("/dev/net/tun");
    struct ifreq request = {0};
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    strcpy(request.ifr_name, "scrub0");
    if (ioctl(tunnel, TUNSETIFF, &request) < 0) fail("TUNSETIFF");
    return tunnel;
}

static void take(struct direction *way, int64_t delay, int64_t rate) {
    while (way->count < queue_limit) {
        struct packet *packet = &way->packets[(way->first + way->count) % queue_limit];
        ssize_t count = read(way->from, packet->bytes, packet_limit);
        if (count <= 0) return;
        int64_t start = now();
        if (rate > 0) {
            if (way->free_at > start) start = way->free_at;
            start += (int64_t)count * 1000000000 / rate;
            way->free_at = start;
        }
        packet->due = start + delay;
        packet->count = (int)count;
        way->count++;
    }
}

static void give(struct direction *way) {
    while (way->count > 0) {
        struct packet *packet = &way->packets[way->first];
        if (packet->due > now()) return;
        // A full device drops the packet, as a cable would.
        if (write(way->to, packet->bytes, (size_t)packet->count) < 0 && errno == EINTR) continue;
        way->first = (way->first + 1) % queue_limit;
        way->count--;
    }
}

int main(int count, char **words) {
    if (count < 4) {
        fprintf(stderr, "delay_link NAMESPACE_A NAMESPACE_B DELAY_US [BYTES_PER_SECOND]\n");
        return 64;
    }
    int64_t delay = atoll(words[3]) * 1000, rate = count > 4 ? atoll(words[4]) : 0;
    int a = device(words[1]), b = device(words[2]);
    struct direction ways[2] = {{.from = a, .to = b}, {.from = b, .to = a}};
    for (int i = 0; i < 2; i++) {
        ways[i].packets = malloc(sizeof(struct packet) * queue_limit);
        if (!ways[i].packets) fail("malloc");
    }
    printf("ready\n");
    fflush(stdout);
    for (;;) {
        int64_t next = INT64_MAX;
        for (int i = 0; i < 2; i++)
            if (ways[i].count > 0 && ways[i].packets[ways[i].first].due < next) next = ways[i].packets[ways[i].first].due;
        struct pollfd watched[3] = {{.fd = a, .events = POLLIN}, {.fd = b, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
        struct timespec pause = {0}, *wait = NULL;
        if (next != INT64_MAX) {
            int64_t left = next - now();
            if (left < 0) left = 0;
            pause.tv_sec = left / 1000000000;
            pause.tv_nsec = left % 1000000000;
            wait = &pause;
        }
        if (ppoll(watched, 3, wait, NULL) < 0 && errno != EINTR) fail("ppoll");
        if (watched[2].revents) {
            char buffer[16];
            if (read(0, buffer, sizeof buffer) <= 0) return 0;
        }
        for (int i = 0; i < 2; i++) take(&ways[i], delay, rate);
        for (int i = 0; i < 2; i++) give(&ways[i]);
    }
}
