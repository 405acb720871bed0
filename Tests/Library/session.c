/* What scrub.h promises of sessions: session FILM. It ends with 0, or stops at the first line that is wrong. */
#include "sessions.h"

/* The bytes of an exact picture of a session are those of scrub_read. */
static void same(scrub_video *video, const scrub_update *update, uint32_t layout) {
    scrub_picture own = wanted(layout), other = wanted(layout);
    CHECK(scrub_pixel_buffer_copy(update->picture, &own, &error) == SCRUB_OK);
    CHECK(scrub_read(video, update->frame, &other, &error) == SCRUB_OK);
    make_room(&own);
    make_room(&other);
    CHECK(scrub_pixel_buffer_copy(update->picture, &own, &error) == SCRUB_OK);
    CHECK(scrub_read(video, update->frame, &other, &error) == SCRUB_OK);
    CHECK(own.planes == other.planes && own.width == other.width && own.height == other.height);
    CHECK(own.frame == other.frame && own.pts == other.pts && own.verdict == SCRUB_EXACT && own.reason[0] == 0);
    CHECK(strcmp(own.pixel_format, other.pixel_format) == 0);
    for (int plane = 0; plane < own.planes; plane++) {
        CHECK(own.needed[plane] == other.needed[plane]);
        CHECK(memcmp(own.data[plane], other.data[plane], own.needed[plane]) == 0);
    }
    empty(&own);
    empty(&other);
}

static void requests(scrub_video *video) {
    scrub_session *session = begun(video, NULL);
    int64_t frame = -1;
    uint64_t request = 0;
    CHECK(!is_readable(session));
    CHECK(scrub_session_request(session, 100, SCRUB_RESTING, &request, &error) == SCRUB_OK && request == 1);
    scrub_update update = until(session, SCRUB_STAGE_EXACT);
    CHECK(update.request == 1 && update.requested_frame == 100 && update.frame == 100 && update.verdict == SCRUB_EXACT);
    CHECK(update.offset == update.pts && update.duration > 0 && update.latency_ns > 0 && !update.is_reduced && update.reason[0] == 0);
    CHECK(!is_readable(session));
    same(video, &update, SCRUB_RGB8);
    same(video, &update, SCRUB_BGRA8);
    same(video, &update, SCRUB_NATIVE);
    scrub_pixel_buffer_release(update.picture);
    /* Each way to say where, and what comes back. */
    CHECK(scrub_session_request_at(session, "0.42", 0, &frame, &request, &error) == SCRUB_OK && frame == 88 && request == 2);
    CHECK(scrub_session_request_fraction(session, 0.42, 0, &frame, &request, &error) == SCRUB_OK && frame == 88 && request == 3);
    CHECK(scrub_session_request_seconds(session, 88 / 30.0, 0, &frame, &request, &error) == SCRUB_OK && frame == 88 && request == 4);
    CHECK(scrub_session_request_fraction(session, 7, 0, &frame, NULL, &error) == SCRUB_OK && frame == 209);
    CHECK(scrub_session_request_fraction(session, -INFINITY, 0, &frame, NULL, &error) == SCRUB_OK && frame == 0);
    CHECK(scrub_session_request_fraction(session, 1e-30, 0, &frame, NULL, &error) == SCRUB_OK && frame == 0);
    CHECK(scrub_session_request_seconds(session, 1e300, 0, &frame, NULL, &error) == SCRUB_OK && frame == 209);
    CHECK(scrub_session_request_at(session, "f-1", 0, &frame, NULL, NULL) == SCRUB_OK && frame == 209);
    CHECK(scrub_session_request_fraction(session, NAN, 0, &frame, NULL, &error) == SCRUB_USAGE);
    CHECK(scrub_session_request_seconds(session, NAN, 0, &frame, NULL, &error) == SCRUB_USAGE);
    CHECK(scrub_session_request_at(session, "never", 0, &frame, NULL, &error) == SCRUB_USAGE);
    CHECK(scrub_session_request_at(session, NULL, 0, &frame, NULL, &error) == SCRUB_USAGE);
    CHECK(scrub_session_request(session, 210, 0, NULL, &error) == SCRUB_USAGE && strstr(error.message, "0 to 209"));
    CHECK(scrub_session_request(session, INT64_MIN, 0, NULL, &error) == SCRUB_USAGE);
    CHECK(scrub_session_request(session, 1, 0x40000000, NULL, &error) == SCRUB_USAGE);
    /* A resting finger has its very frame, whatever came before. */
    CHECK(scrub_session_request(session, 150, 0, &request, &error) == SCRUB_OK && request == 10);
    CHECK(scrub_session_rest(session, &error) == SCRUB_OK);
    do {
        update = until(session, SCRUB_STAGE_EXACT);
        CHECK(update.request <= 10);
        if (update.request == 10) { CHECK(update.frame == 150); same(video, &update, SCRUB_RGB8); }
        scrub_pixel_buffer_release(update.picture);
    } while (update.request != 10);
    CHECK(scrub_session_cancel(session, 0, &error) == SCRUB_OK);
    scrub_session_close(session);
    scrub_session_close(session);
    scrub_session_close(NULL);
    CHECK(scrub_session_request(session, 1, 0, NULL, &error) == SCRUB_USAGE && strstr(error.message, "closed"));
    CHECK(scrub_session_take(session, 0, &update, &error) == SCRUB_USAGE);
    CHECK(scrub_session_request((scrub_session *)(void *)video, 1, 0, NULL, &error) == SCRUB_USAGE);
}

static void gestures(scrub_video *video) {
    scrub_session *session = begun(video, NULL);
    int64_t frame = 0;
    uint64_t request = 1;
    CHECK(scrub_session_moved(session, 10, 0, 100, &frame, &request, &error) == SCRUB_OK && frame == -1 && request == 0);
    CHECK(scrub_session_began(session, "0.5", NULL, &error) == SCRUB_OK);
    CHECK(scrub_session_moved(session, 10, 0, 100, &frame, &request, &error) == SCRUB_OK && frame == 126 && request == 2);
    CHECK(scrub_session_moved(session, 1e300, 0, 100, &frame, NULL, &error) == SCRUB_OK && frame == 209);
    CHECK(scrub_session_moved(session, -1e300, 0, 100, &frame, NULL, &error) == SCRUB_OK && frame == 0);
    CHECK(scrub_session_moved(session, INFINITY, 0, 100, &frame, NULL, &error) == SCRUB_OK && frame == 209);
    CHECK(scrub_session_moved(session, NAN, 0, 100, &frame, NULL, &error) == SCRUB_USAGE && frame == -1);
    CHECK(scrub_session_moved(session, 1, 0, NAN, &frame, NULL, &error) == SCRUB_USAGE);
    CHECK(scrub_session_moved(session, 1, 0, 0, &frame, NULL, &error) == SCRUB_USAGE);
    /* The unit is the program's: the same place in a view that is one wide, or a millionth. */
    CHECK(scrub_session_moved(session, 0.0048, 0, 1, &frame, NULL, &error) == SCRUB_OK && frame == 106);
    CHECK(scrub_session_moved(session, 0.0047, 0, 1, &frame, NULL, &error) == SCRUB_OK && frame == 105);
    CHECK(scrub_session_moved(session, 0.0048e-6, 0, 1e-6, &frame, NULL, &error) == SCRUB_OK && frame == 106);
    CHECK(scrub_session_moved(session, -25, 0, 100, &frame, &request, &error) == SCRUB_OK && frame == 52);
    CHECK(scrub_session_ended(session, 0, NULL, &error) == SCRUB_OK);
    scrub_update update;
    do {
        update = until(session, SCRUB_STAGE_EXACT);
        scrub_pixel_buffer_release(update.picture);
    } while (update.request != request);
    CHECK(update.frame == 52);
    /* The next one begins where this one ended, and goes back there. */
    CHECK(scrub_session_began(session, NULL, &request, &error) == SCRUB_OK && request > 1);
    CHECK(scrub_session_moved(session, 50, 0, 100, &frame, &request, &error) == SCRUB_OK && frame == 157);
    CHECK(scrub_session_ended(session, SCRUB_RETURN, &request, &error) == SCRUB_OK);
    do {
        update = until(session, SCRUB_STAGE_EXACT);
        scrub_pixel_buffer_release(update.picture);
    } while (update.request != request);
    CHECK(update.frame == 52 && update.is_final);
    /* One whose end was lost does not keep its beginning. */
    CHECK(scrub_session_began(session, "f100", NULL, &error) == SCRUB_OK);
    CHECK(scrub_session_began(session, "f10", NULL, &error) == SCRUB_OK);
    CHECK(scrub_session_moved(session, 0, 0, 100, &frame, NULL, &error) == SCRUB_OK && frame == 10);
    CHECK(scrub_session_ended(session, 0x2, NULL, &error) == SCRUB_USAGE);
    scrub_session_close(session);
}

static void planes(scrub_video *video) {
    scrub_session *session = begun(video, NULL);
    scrub_planes lent = SCRUB_PLANES_INIT;
    scrub_picture own = wanted(SCRUB_NATIVE), aligned = wanted(SCRUB_RGB8);
    CHECK(scrub_session_request(session, 33, SCRUB_RESTING, NULL, &error) == SCRUB_OK);
    scrub_update update = until(session, SCRUB_STAGE_EXACT);
    CHECK(scrub_pixel_buffer_get_planes(update.picture, &lent, &error) == SCRUB_OK);
    CHECK(scrub_pixel_buffer_copy(update.picture, &own, &error) == SCRUB_OK);
    make_room(&own);
    CHECK(scrub_pixel_buffer_copy(update.picture, &own, &error) == SCRUB_OK);
    CHECK(lent.planes == own.planes && lent.width == own.width && lent.height == own.height && lent.planes == 3);
    CHECK(strcmp(lent.pixel_format, own.pixel_format) == 0);
    scrub_pixel_buffer_retain(update.picture);
    scrub_pixel_buffer_release(update.picture);
    /* They stay while there is a reference, whatever is closed. */
    scrub_session_close(session);
    for (int plane = 0; plane < lent.planes; plane++) {
        CHECK(lent.row_bytes[plane] == own.row_bytes[plane] && lent.rows[plane] == own.rows[plane]);
        for (int row = 0; row < lent.rows[plane]; row++)
            CHECK(memcmp((const char *)lent.data[plane] + (size_t)row * lent.stride[plane],
                (const char *)own.data[plane] + (size_t)row * own.stride[plane], (size_t)own.row_bytes[plane]) == 0);
    }
    empty(&own);
    aligned.flags = SCRUB_ALIGNED_ROWS;
    aligned.want_width = 101;
    CHECK(scrub_pixel_buffer_copy(update.picture, &aligned, &error) == SCRUB_OK && aligned.stride[0] == 512 && aligned.row_bytes[0] == 303);
    make_room(&aligned);
    CHECK(scrub_pixel_buffer_copy(update.picture, &aligned, &error) == SCRUB_OK);
    empty(&aligned);
    void *bytes = NULL;
    size_t count = 0;
    scrub_image image = SCRUB_IMAGE_INIT;
    image.format = SCRUB_JPEG;
    CHECK(scrub_pixel_buffer_encode(update.picture, &image, &bytes, &count, &error) == SCRUB_OK && count > 1000);
    CHECK(memcmp(bytes, "\xff\xd8\xff", 3) == 0);
    scrub_free(bytes);
    scrub_pixel_buffer_release(update.picture);
    scrub_pixel_buffer_release(update.picture);
    scrub_pixel_buffer_release(NULL);
    scrub_pixel_buffer_retain(update.picture);
    CHECK(scrub_pixel_buffer_get_planes(update.picture, &lent, &error) == SCRUB_USAGE);
    CHECK(scrub_pixel_buffer_encode(update.picture, NULL, &bytes, &count, &error) == SCRUB_USAGE && bytes == NULL);
}

/* Previews come while it rests, and answer at once; they are small. */
static void previews(scrub_video *video) {
    scrub_session *session = begun(video, NULL);
    scrub_memory memory = SCRUB_MEMORY_INIT;
    int32_t done = 0;
    CHECK(scrub_session_prepare_previews(session, 100, -1, &done, &error) == SCRUB_OK && done == 1);
    CHECK(scrub_session_get_memory(session, &memory, &error) == SCRUB_OK);
    CHECK(memory.previews == 210 && memory.preview_bytes > 0 && memory.preview_side > 0 && memory.limit == 256 << 20);
    CHECK(memory.used <= memory.peak && memory.peak <= memory.limit && memory.held == 0);
    for (int64_t frame = 200; frame >= 0; frame -= 20) {
        scrub_update update = SCRUB_UPDATE_INIT;
        CHECK(scrub_session_request(session, frame, 0, NULL, &error) == SCRUB_OK);
        CHECK(scrub_session_take(session, 0, &update, &error) == SCRUB_OK);
        CHECK(update.stage == SCRUB_STAGE_PREVIEW || update.stage == SCRUB_STAGE_EXACT);
        CHECK(update.frame == frame && update.picture != NULL);
        scrub_pixel_buffer_release(update.picture);
    }
    CHECK(scrub_session_prepare_previews(session, 210, 0, &done, &error) == SCRUB_USAGE && done == 0);
    scrub_session_close(session);
    scrub_session_options options = SCRUB_SESSION_OPTIONS_INIT;
    options.flags = SCRUB_NO_PREVIEWS;
    session = begun(video, &options);
    CHECK(scrub_session_prepare_previews(session, 0, -1, NULL, &error) == SCRUB_OK);
    CHECK(scrub_session_get_memory(session, &memory, &error) == SCRUB_OK && memory.previews == 0 && memory.preview_side == 0);
    scrub_session_close(session);
}

/* A program that holds too many pictures is told, and goes on when it has released them. */
static void hoarding(scrub_video *video) {
    enum { MOST = 1000 };
    scrub_session_options options = SCRUB_SESSION_OPTIONS_INIT;
    scrub_memory memory = SCRUB_MEMORY_INIT;
    scrub_session *session = NULL;
    options.memory = 1 << 20;
    CHECK(scrub_session_open(video, &options, &session, &error) == SCRUB_UNAVAILABLE && session == NULL);
    options.memory = 16 << 20;
    options.threads = 1;
    options.flags = SCRUB_NO_PREVIEWS;
    session = begun(video, &options);
    scrub_pixel_buffer *held[MOST];
    int count = 0;
    scrub_update update = SCRUB_UPDATE_INIT;
    for (int64_t frame = 0; frame < 210; frame++) {
        CHECK(scrub_session_request(session, frame, SCRUB_RESTING, NULL, &error) == SCRUB_OK);
        do {
            CHECK(scrub_session_take(session, 10000, &update, &error) == SCRUB_OK && update.stage != SCRUB_STAGE_NONE);
            if (update.picture) { CHECK(count < MOST); held[count++] = update.picture; }
        } while (update.stage != SCRUB_STAGE_AWAITING_MEMORY && !(update.stage == SCRUB_STAGE_EXACT && update.requested_frame == frame));
        if (update.stage == SCRUB_STAGE_AWAITING_MEMORY) break;
    }
    CHECK(update.stage == SCRUB_STAGE_AWAITING_MEMORY && update.picture == NULL && count > 1);
    CHECK(scrub_session_get_memory(session, &memory, &error) == SCRUB_OK);
    CHECK(memory.held > 0 && memory.peak <= memory.limit && memory.limit == 16 << 20);
    while (count > 0) scrub_pixel_buffer_release(held[--count]);
    update = until(session, SCRUB_STAGE_EXACT);
    scrub_pixel_buffer_release(update.picture);
    /* The session's thread may have it in its hands for a moment more. */
    do {
        CHECK(scrub_session_get_memory(session, &memory, &error) == SCRUB_OK);
    } while (memory.held != 0);
    scrub_session_close(session);
}

/* What is replaced is counted, and the descriptor says exactly whether something is there. */
static void slow(scrub_video *video) {
    scrub_session *session = begun(video, NULL);
    scrub_update update = SCRUB_UPDATE_INIT;
    uint64_t request = 0;
    for (int64_t frame = 0; frame < 200; frame += 7) CHECK(scrub_session_request(session, frame, 0, &request, &error) == SCRUB_OK);
    CHECK(scrub_session_rest(session, &error) == SCRUB_OK);
    do {
        int was = is_readable(session);
        CHECK(scrub_session_take(session, was ? 0 : 10000, &update, &error) == SCRUB_OK);
        CHECK(update.stage != SCRUB_STAGE_NONE);
        scrub_pixel_buffer_release(update.picture);
    } while (update.request != request || update.stage != SCRUB_STAGE_EXACT);
    CHECK(!is_readable(session));
    CHECK(scrub_session_take(session, 0, &update, &error) == SCRUB_OK && update.stage == SCRUB_STAGE_NONE && update.picture == NULL);
    CHECK(scrub_session_take(session, 20, &update, &error) == SCRUB_OK && update.stage == SCRUB_STAGE_NONE);
    /* Two that are there one after the other: only the second is left. */
    CHECK(scrub_session_request(session, 196, 0, NULL, &error) == SCRUB_OK);
    CHECK(scrub_session_request(session, 196, SCRUB_RESTING, &request, &error) == SCRUB_OK && is_readable(session));
    CHECK(scrub_session_take(session, 10000, &update, &error) == SCRUB_OK && update.request == request && update.skipped >= 1);
    scrub_pixel_buffer_release(update.picture);
    scrub_session_close(session);
}

static void wrong_options(scrub_video *video) {
    scrub_session *session = NULL;
    for (int i = 0; i < 7; i++) {
        scrub_session_options options = SCRUB_SESSION_OPTIONS_INIT;
        if (i == 0) options.flags = 1;
        if (i == 1) options.decoders = -1;
        if (i == 2) options.threads = 1025;
        if (i == 3) options.preview_side = -5;
        if (i == 4) options.key_pictures = -2;
        if (i == 5) options.patience = INT32_MIN;
        if (i == 6) options.memory = UINT64_MAX;
        CHECK(scrub_session_open(video, &options, &session, &error) == SCRUB_USAGE && session == NULL);
    }
    CHECK(scrub_session_open(NULL, NULL, &session, &error) == SCRUB_USAGE);
    CHECK(scrub_session_open(video, NULL, NULL, &error) == SCRUB_USAGE);
}

int main(int count, char **words) {
    if (count != 2) return SCRUB_USAGE;
    scrub_video *video = opened(words[1]);
    CHECK(frame_count(video) == 210);
    requests(video);
    gestures(video);
    planes(video);
    previews(video);
    hoarding(video);
    slow(video);
    wrong_options(video);
    /* A session keeps its video. */
    scrub_session *session = begun(video, NULL);
    scrub_close(video);
    CHECK(scrub_session_request(session, 5, SCRUB_RESTING, NULL, &error) == SCRUB_OK);
    scrub_update update = until(session, SCRUB_STAGE_EXACT);
    scrub_session_close(session);
    scrub_pixel_buffer_release(update.picture);
    quiet();
    return 0;
}
