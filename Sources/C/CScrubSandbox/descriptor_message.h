#ifndef SCRUB_DESCRIPTOR_MESSAGE_H
#define SCRUB_DESCRIPTOR_MESSAGE_H

#include <string.h>
#include <sys/socket.h>

/// Sends bytes once, with a descriptor if it is 0 or more (unix(7), SCM_RIGHTS). Returns the result of sendmsg(2).
static inline ssize_t send_with_descriptor(int link, const void *bytes, size_t count, int descriptor, int flags) {
    struct iovec part = {(void *)bytes, count};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    return sendmsg(link, &message, flags);
}

#endif
