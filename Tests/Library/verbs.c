/* What the program's verbs do with a film, by scrub.h: verbs FILM. Writes everything into the current folder, and the JSON of each call
 * beside it. verbs.py makes the same with the program. */
#include "common.h"

static scrub_video *video;
static const char *film;

/* Keeps the JSON of a call that worked, for the comparison. */
static void keep(const char *name, int status, void *json, size_t count) {
    if (status != SCRUB_OK) fprintf(stderr, "%s: %d: %s\n", name, status, error.message);
    CHECK(status == SCRUB_OK && json != NULL && strlen(json) == count);
    FILE *file = fopen(name, "wb");
    CHECK(file && fwrite(json, 1, count, file) == count && fclose(file) == 0);
    scrub_free(json);
}

static void strips(void) {
    void *json;
    size_t count;
    int status = scrub_write_strip(video, "strip", NULL, &json, &count, &error);
    keep("strip.json", status, json, count);
    scrub_thumbnails wanted = SCRUB_THUMBNAILS_INIT;
    const int32_t widths[] = { 96, 64, 0 };
    wanted.interval_num = 1;
    wanted.interval_den = 2;
    wanted.widths = widths;
    wanted.columns = 5;
    wanted.rows = 2;
    wanted.format = SCRUB_WEBP;
    wanted.quality = 60;
    wanted.background = 0x336699;
    wanted.threads = 1;
    wanted.base_url = "https://example.org/t/";
    wanted.flags = SCRUB_BLUR_HASHES | SCRUB_DEINTERLACE;
    wanted.tolerance = SCRUB_TOLERANCE_KEYFRAME;
    status = scrub_write_strip(video, "strips", &wanted, &json, &count, &error);
    keep("strips.json", status, json, count);
    wanted.sizes = "64x48,96";
    CHECK(scrub_write_strip(video, "boxes", &wanted, &json, &count, &error) == SCRUB_USAGE && strstr(error.message, "sizes"));
    wanted.widths = NULL;
    status = scrub_write_strip(video, "boxes", &wanted, &json, &count, &error);
    keep("boxes.json", status, json, count);
    wanted.sizes = "64x,96";
    CHECK(scrub_write_strip(video, "boxes", &wanted, &json, &count, &error) == SCRUB_USAGE && strstr(error.message, "64x,96"));
    scrub_thumbnails at = SCRUB_THUMBNAILS_INIT;
    const char *const positions[] = { "10%", "1s", "f-1", "99:00:00", NULL };
    at.positions = positions;
    at.height = 40;
    CHECK(scrub_write_strip(video, "at", &at, &json, &count, &error) == SCRUB_USAGE && json == NULL);
    at.flags = SCRUB_CLAMP;
    status = scrub_write_strip(video, "at", &at, &json, &count, &error);
    keep("at.json", status, json, count);
    scrub_thumbnails scenes = SCRUB_THUMBNAILS_INIT;
    scenes.flags = SCRUB_SCENES;
    scenes.count = 3;
    scenes.scene_num = 1;
    scenes.scene_den = 4;
    scenes.width = 64;
    scenes.height = 48;
    status = scrub_write_strip(video, "scenes", &scenes, &json, &count, &error);
    keep("scenes-strip.json", status, json, count);
}

static void sheets(void) {
    void *json;
    size_t count;
    int status = scrub_write_sheet(video, "sheet.jpg", NULL, &json, &count, &error);
    keep("sheet.json", status, json, count);
    scrub_thumbnails wanted = SCRUB_THUMBNAILS_INIT;
    wanted.columns = 3;
    wanted.rows = 2;
    wanted.width = 640;
    wanted.flags = SCRUB_NO_TIMES;
    wanted.tolerance = SCRUB_TOLERANCE_SECONDS;
    wanted.tolerance_num = 1;
    wanted.tolerance_den = 4;
    status = scrub_write_sheet(video, "sheet.svg", &wanted, &json, &count, &error);
    keep("sheet-svg.json", status, json, count);
    wanted.format = SCRUB_PNG;
    status = scrub_encode_sheet(video, &wanted, &json, &count, &error);
    CHECK(status == SCRUB_OK);
    FILE *file = fopen("sheet.png", "wb");
    CHECK(file && fwrite(json, 1, count, file) == count && fclose(file) == 0);
    scrub_free(json);
    CHECK(scrub_write_sheet(video, "sheet.webp", &wanted, &json, &count, &error) == SCRUB_USAGE);
    wanted.format = 0;
    wanted.count = 4;
    CHECK(scrub_write_sheet(video, "sheet.webp", &wanted, &json, &count, &error) == SCRUB_USAGE);
    wanted.base_url = "https://example.org/";
    wanted.rows = 0;
    CHECK(scrub_write_sheet(video, "sheet.webp", &wanted, &json, &count, &error) == SCRUB_USAGE);
}

static void sets(void) {
    void *json;
    size_t count;
    scrub_thumbnails wanted = SCRUB_THUMBNAILS_INIT;
    wanted.interval_num = wanted.interval_den = 1;
    int status = scrub_write_sets(video, "sets", "all", &wanted, &json, &count, &error);
    keep("sets.json", status, json, count);
    wanted.tolerance = SCRUB_TOLERANCE_EXACT;
    wanted.width = 200;
    wanted.flags = SCRUB_SKIP_CURRENT;
    CHECK(scrub_write_sets(video, "web", "web,hls", &wanted, NULL, NULL, &error) == SCRUB_OK);
    status = scrub_write_sets(video, "web", "web,hls", &wanted, &json, &count, &error); /* they are current now */
    keep("web.json", status, json, count);
    CHECK(scrub_write_sets(video, NULL, "web", NULL, NULL, NULL, &error) == SCRUB_USAGE);
    CHECK(scrub_write_sets(video, "no", "vcr", NULL, NULL, NULL, &error) == SCRUB_USAGE);
    wanted.columns = 3;
    CHECK(scrub_write_sets(video, "no", "web", &wanted, NULL, NULL, &error) == SCRUB_USAGE && strstr(error.message, "columns"));
    status = scrub_convert_set("strip", "json", "converted", 0, 0, NULL, &json, &count, &error);
    keep("json.json", status, json, count);
    status = scrub_convert_set("strip", "vtt", "converted", SCRUB_COPY_ONLY, 0, "https://example.org/", &json, &count, &error);
    keep("vtt.json", status, json, count);
    CHECK(scrub_convert_set("strip", "bif", "bif", SCRUB_COPY_ONLY, 0, NULL, &json, &count, &error) == SCRUB_USAGE && json == NULL);
    CHECK(scrub_convert_set("strip", "bif", "bif", 0, 101, NULL, &json, &count, &error) == SCRUB_USAGE);
    status = scrub_convert_set("sets/web", "bif", "bif", 0, 70, NULL, &json, &count, &error);
    keep("bif.json", status, json, count);
    CHECK(scrub_convert_set("strip", "vcr", "no", 0, 0, NULL, &json, &count, &error) == SCRUB_USAGE && strstr(error.message, "vcr"));
    CHECK(scrub_convert_set("none", "vtt", "no", 0, 0, NULL, &json, &count, &error) == SCRUB_NO_INPUT);
    CHECK(scrub_convert_set("strip", "vtt", "no", SCRUB_SCENES, 0, NULL, &json, &count, &error) == SCRUB_USAGE);
    status = scrub_verify_sets(video, "sets", 5, 0, 0, &json, &count, &error);
    keep("verify-set.json", status, json, count);
    CHECK(scrub_verify_sets(video, "strip/none", 5, 0, 0, &json, &count, &error) != SCRUB_OK);
    scrub_free(json);
}

static void posters(void) {
    void *json;
    size_t count;
    int status = scrub_write_posters(video, "poster.png", NULL, &json, &count, &error);
    keep("poster.json", status, json, count);
    scrub_poster_options wanted = SCRUB_POSTER_OPTIONS_INIT;
    wanted.count = 2;
    wanted.candidates = 9;
    wanted.longest_side = 100;
    wanted.flags = SCRUB_EXPLAIN;
    status = scrub_write_posters(video, "posters/", &wanted, &json, &count, &error);
    keep("posters.json", status, json, count);
    wanted.width = 90;
    CHECK(scrub_write_posters(video, "both.jpg", &wanted, NULL, NULL, &error) == SCRUB_USAGE);
    status = scrub_write_cover(video, "cover", -1, NULL, &json, &count, &error);
    if (status == SCRUB_OK) keep("cover.json", status, json, count);
    else CHECK(status == SCRUB_BAD_DATA && json == NULL); /* the film carries none */
    CHECK(scrub_write_cover_of(film, NULL, "other", -1, NULL, &json, &count, &error) == status);
    if (status == SCRUB_OK) keep("other.json", status, json, count);
    CHECK(scrub_write_cover_of(NULL, NULL, "other", -1, NULL, &json, &count, &error) == SCRUB_USAGE);
    CHECK(scrub_write_cover_of("no such file", NULL, "other", -1, NULL, &json, &count, &error) == SCRUB_NO_INPUT);
}

static void lists(void) {
    static const char *const formats[] = { "csv", "json", "timecodes", "torchcodec", "cvat" };
    void *text;
    size_t count;
    char path[64], file[64];
    int status;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        snprintf(path, sizeof path, "map.%s", formats[i]);
        status = scrub_write_frame_map(video, formats[i], NULL, 0, &text, &count, &error);
        snprintf(file, sizeof file, "map-file.%s", formats[i]);
        CHECK(scrub_write_frame_map(video, formats[i], file, 0, NULL, NULL, &error) == status);
        if (status == SCRUB_OK) keep(path, status, text, count);
        else CHECK(status == SCRUB_BAD_DATA && text == NULL); /* the other program would get this film wrong */
    }
    CHECK(scrub_write_frame_map(video, "xml", NULL, 0, &text, &count, &error) == SCRUB_USAGE);
    CHECK(scrub_write_frame_map(video, "csv", NULL, 0, NULL, NULL, &error) == SCRUB_USAGE);
    CHECK(scrub_write_frame_map(video, "csv", NULL, SCRUB_REPLACE, &text, &count, &error) == SCRUB_USAGE);
    status = scrub_verify(video, "backward,random", 20, &text, &count, &error);
    keep("verify.json", status, text, count);
    CHECK(scrub_verify(video, "sideways", 1, NULL, NULL, &error) == SCRUB_USAGE);
    status = scrub_check_determinism(video, 5, &text, &count, &error);
    keep("determinism.json", status, text, count);
    CHECK(scrub_check_determinism(video, -2, &text, &count, &error) == SCRUB_USAGE && text == NULL);
    scrub_scene *scenes;
    scrub_scene_options wanted = SCRUB_SCENE_OPTIONS_INIT;
    wanted.flags = SCRUB_BLANK_SCENES;
    CHECK(scrub_find_scenes(video, &wanted, &scenes, &count, &error) == SCRUB_OK);
    FILE *list = fopen("scenes.txt", "w");
    CHECK(list != NULL);
    for (size_t i = 0; i < count; i++)
        fprintf(list, "%lld %lld %lld %.3f %.3f\n", (long long)scenes[i].first_frame, (long long)scenes[i].last_frame,
                (long long)scenes[i].frame, (double)scenes[i].start_num / (double)scenes[i].start_den,
                (double)scenes[i].end_num / (double)scenes[i].end_den);
    fclose(list);
    scrub_free(scenes);
    wanted.threshold = 2;
    CHECK(scrub_find_scenes(video, &wanted, &scenes, &count, &error) == SCRUB_USAGE && scenes == NULL);
    status = scrub_make_previews(video, 0, 0, &text, &count, &error);
    keep("previews.json", status, text, count);
}

/* Before anything is decoded, because that may tell more about the film. */
static void plan(void) {
    void *text;
    size_t count;
    int status = scrub_plan(video, 1, &text, &count, &error);
    keep("plan.json", status, text, count);
    CHECK(scrub_plan(video, 1 << 20, &text, &count, &error) == SCRUB_USAGE && text == NULL);
    scrub_thumbnails wanted = SCRUB_THUMBNAILS_INIT;
    wanted.flags = SCRUB_PLAN_ONLY;
    wanted.interval_num = wanted.interval_den = 1;
    wanted.tolerance = SCRUB_TOLERANCE_EXACT;
    status = scrub_write_sets(video, NULL, "web,hls", &wanted, &text, &count, &error);
    keep("web-plan.json", status, text, count);
    wanted.flags |= SCRUB_FROM_PREVIEWS;
    CHECK(scrub_write_sets(video, NULL, "web,hls", &wanted, &text, &count, &error) == SCRUB_USAGE && text == NULL);
    wanted.flags = SCRUB_PLAN_ONLY;
    wanted.interval_den = 2;
    wanted.tolerance = SCRUB_TOLERANCE_KEYFRAME;
    wanted.sizes = "64x48,96";
    status = scrub_write_strip(video, NULL, &wanted, &text, &count, &error);
    keep("strip-plan.json", status, text, count);
    scrub_thumbnails scenes = SCRUB_THUMBNAILS_INIT;
    scenes.flags = SCRUB_SCENES | SCRUB_PLAN_ONLY;
    scenes.count = 3;
    scenes.scene_num = 1;
    scenes.scene_den = 4;
    status = scrub_write_strip(video, NULL, &scenes, &text, &count, &error);
    keep("scenes-plan.json", status, text, count);
}

int main(int count, char **words) {
    CHECK(count == 2);
    film = words[1];
    video = opened(film);
    plan();
    strips();
    sheets();
    sets();
    posters();
    lists();
    scrub_close(video);
    return 0;
}
