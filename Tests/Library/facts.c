/* What the library says of itself and of a video: facts FILM DISORDERED. It ends with 0, or stops at the first line that is wrong. */
#include "common.h"
#include <math.h>

static void versions(void) {
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", SCRUB_VERSION_MAJOR, SCRUB_VERSION_MINOR, SCRUB_VERSION_PATCH);
    CHECK(scrub_version() == SCRUB_VERSION);
    CHECK(strcmp(scrub_version_text(), text) == 0);
}

static void facts_and_times(const char *film) {
    scrub_video *video = opened(film);
    scrub_facts facts = SCRUB_FACTS_INIT;
    CHECK(scrub_get_facts(video, &facts, &error) == SCRUB_OK);
    CHECK(facts.frame_count > 1 && facts.width > 0 && facts.height > 0 && facts.time_base_num > 0 && facts.time_base_den > 0);
    CHECK(facts.codec[0] && facts.pixel_format[0] && facts.container[0]);
    int64_t frames = 0, numerator = 0, denominator = 0;
    CHECK(scrub_get_length(video, &frames, &numerator, &denominator, &error) == SCRUB_OK && frames == facts.frame_count);
    CHECK(numerator == facts.time_base_num && denominator == facts.time_base_den);
    CHECK(scrub_get_length(video, &frames, NULL, &denominator, &error) == SCRUB_USAGE);
    scrub_time *times = calloc((size_t)facts.frame_count, sizeof *times);
    CHECK(scrub_get_times(video, 0, (size_t)facts.frame_count, times, &error) == SCRUB_OK);
    CHECK(times[0].pts == facts.start_pts);
    scrub_time last = times[facts.frame_count - 1];
    CHECK(last.pts + last.duration - facts.start_pts == facts.duration);
    int64_t keyframes = 0, frame = -1;
    for (int64_t i = 0; i < facts.frame_count; i++) {
        keyframes += times[i].is_keyframe;
        CHECK(i == 0 || times[i].pts > times[i - 1].pts);
        CHECK(scrub_find_pts(video, times[i].pts, &frame, &error) == SCRUB_OK && frame == i);
        if (i) CHECK(scrub_find_pts(video, times[i].pts - 1, &frame, &error) == SCRUB_OK && frame == i - 1);
    }
    CHECK(keyframes == facts.keyframe_count);
    CHECK(scrub_find_pts(video, INT64_MIN, &frame, &error) == SCRUB_OK && frame == 0);
    CHECK(scrub_find_pts(video, INT64_MAX, &frame, &error) == SCRUB_OK && frame == facts.frame_count - 1);
    CHECK(scrub_get_times(video, 1, (size_t)facts.frame_count, times, &error) == SCRUB_USAGE);
    CHECK(scrub_get_times(video, -1, 1, times, &error) == SCRUB_USAGE);
    CHECK(scrub_get_times(video, 0, SIZE_MAX, times, &error) == SCRUB_USAGE);
    CHECK(scrub_get_times(video, 0, 0, NULL, &error) == SCRUB_OK);
    int64_t *offsets = calloc((size_t)facts.frame_count, sizeof *offsets);
    CHECK(scrub_get_offsets(video, 0, (size_t)facts.frame_count, offsets, &error) == SCRUB_OK && offsets[0] == 0);
    for (int64_t i = 1; i < facts.frame_count; i++) CHECK(offsets[i] == offsets[i - 1] + times[i - 1].duration);
    CHECK(offsets[facts.frame_count - 1] + last.duration == facts.duration);
    CHECK(scrub_get_offsets(video, facts.frame_count - 1, 1, &frame, &error) == SCRUB_OK);
    CHECK(frame == offsets[facts.frame_count - 1]);
    CHECK(scrub_get_offsets(video, 1, (size_t)facts.frame_count, offsets, &error) == SCRUB_USAGE);
    CHECK(scrub_get_offsets(video, 0, 1, NULL, &error) == SCRUB_USAGE);
    /* Every frame by its time, as doubles and floats, from the first frame and in the container's time. */
    double unit = (double)facts.time_base_num / (double)facts.time_base_den;
    for (int64_t i = 0; i < facts.frame_count; i++) {
        double own = (double)offsets[i] * unit, pts = (double)(offsets[i] + facts.start_pts) * unit;
        int64_t shown = i;
        while (shown + 1 < facts.frame_count && offsets[shown + 1] == offsets[i]) shown++;
        CHECK(scrub_find_seconds(video, own, 0, &frame, &error) == SCRUB_OK && frame == shown);
        CHECK(scrub_find_seconds(video, (float)own, 0, &frame, &error) == SCRUB_OK && frame == shown);
        CHECK(scrub_find_seconds(video, pts, SCRUB_CONTAINER_TIME, &frame, &error) == SCRUB_OK && frame == shown);
        CHECK(scrub_find_seconds(video, (1000.5 + own) - 1000.5, 0, &frame, &error) == SCRUB_OK && frame == shown);
    }
    CHECK(scrub_find_seconds(video, -1, 0, &frame, &error) == SCRUB_USAGE && strstr(error.message, "outside the video"));
    CHECK(scrub_find_seconds(video, 1e9, 0, &frame, &error) == SCRUB_USAGE);
    CHECK(scrub_find_seconds(video, 1e9, SCRUB_CLAMP, &frame, &error) == SCRUB_OK && frame == facts.frame_count - 1);
    CHECK(scrub_find_seconds(video, (double)NAN, SCRUB_CLAMP, &frame, &error) == SCRUB_USAGE);
    CHECK(scrub_find_seconds(video, 0, 4, &frame, &error) == SCRUB_USAGE);
    CHECK(scrub_find_seconds(video, 0, 0, NULL, &error) == SCRUB_USAGE);
    free(offsets);
    free(times);
    void *json = NULL;
    size_t count = 0;
    char known[64];
    snprintf(known, sizeof known, "\"frameCount\":%lld,", (long long)facts.frame_count);
    CHECK(scrub_describe(video, &json, &count, &error) == SCRUB_OK && strlen((char *)json) == count);
    CHECK(((char *)json)[0] == '{' && ((char *)json)[count - 1] == '}' && strstr((char *)json, known));
    scrub_free(json);
    CHECK(scrub_describe(video, NULL, &count, &error) == SCRUB_USAGE && count == 0);
    CHECK(scrub_describe(NULL, &json, &count, &error) == SCRUB_USAGE && json == NULL);
    CHECK(scrub_find(video, "last", 0, &frame, &error) == SCRUB_OK && frame == facts.frame_count - 1);
    CHECK(scrub_find(video, "f-1", 0, &frame, &error) == SCRUB_OK && frame == facts.frame_count - 1);
    CHECK(scrub_find(video, "0", 0, &frame, &error) == SCRUB_OK && frame == 0);
    CHECK(scrub_find(video, "1.5", 0, &frame, &error) == SCRUB_USAGE);
    CHECK(scrub_find(video, "1.5", SCRUB_CLAMP, &frame, &error) == SCRUB_OK && frame == facts.frame_count - 1);
    CHECK(scrub_find(video, "9:00:00", 0, &frame, &error) == SCRUB_USAGE && strstr(error.message, "outside the video"));
    CHECK(scrub_find(video, "9:00:00", SCRUB_CLAMP, &frame, &error) == SCRUB_OK && frame == facts.frame_count - 1);
    CHECK(scrub_find(video, "nonsense", 0, &frame, &error) == SCRUB_USAGE);
    CHECK(scrub_find(video, NULL, 0, &frame, &error) == SCRUB_USAGE);
    scrub_close(video);
}

/* Where times do not rise with numbers, each time still finds a frame that has it. */
static void times_in_disorder(const char *film) {
    scrub_video *video = opened(film);
    int64_t count = frame_count(video), frame = -1, backward = 0;
    scrub_time *times = calloc((size_t)count, sizeof *times);
    CHECK(scrub_get_times(video, 0, (size_t)count, times, &error) == SCRUB_OK);
    for (int64_t i = 0; i < count; i++) {
        backward += i > 0 && times[i].pts < times[i - 1].pts;
        CHECK(scrub_find_pts(video, times[i].pts, &frame, &error) == SCRUB_OK && times[frame].pts == times[i].pts);
    }
    CHECK(backward > 0);
    CHECK(scrub_find_pts(video, INT64_MIN, &frame, &error) == SCRUB_OK && frame == 0);
    free(times);
    scrub_close(video);
}

int main(int count, char **words) {
    if (count != 3) return SCRUB_USAGE;
    versions();
    facts_and_times(words[1]);
    times_in_disorder(words[2]);
    quiet();
    return 0;
}
