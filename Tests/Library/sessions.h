/* What programs that try sessions share. */
#include "common.h"
#include <math.h>
#include <poll.h>

static inline scrub_session *begun(scrub_video *video, const scrub_session_options *options) {
    scrub_session *session = NULL;
    CHECK(scrub_session_open(video, options, &session, &error) == SCRUB_OK && session != NULL);
    return session;
}

static inline int is_readable(scrub_session *session) {
    struct pollfd one = { .events = POLLIN };
    CHECK(scrub_session_get_descriptor(session, &one.fd, &error) == SCRUB_OK && one.fd >= 0);
    return poll(&one, 1, 0);
}

/* Takes updates until one has a stage; the others are released. */
static inline scrub_update until(scrub_session *session, int32_t stage) {
    scrub_update update = SCRUB_UPDATE_INIT;
    for (int i = 0; i < 10000; i++) {
        CHECK(scrub_session_take(session, 10000, &update, &error) == SCRUB_OK);
        CHECK(update.stage != SCRUB_STAGE_NONE);
        if (update.stage == stage) return update;
        CHECK(update.stage != SCRUB_STAGE_FAILED);
        scrub_pixel_buffer_release(update.picture);
    }
    CHECK(0);
    return update;
}
