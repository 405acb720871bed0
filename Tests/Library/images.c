/* Image files in every format, by every function that writes some: images FILM FOLDER. It ends with 0, or stops at the first line that is
 * wrong. */
#include "common.h"

/* The format that a file has by its first bytes, and the suffix of such. */
static const char *format_of(const char *bytes, size_t count) {
    if (count > 12 && memcmp(bytes, "\x89PNG", 4) == 0) return "png";
    if (count > 12 && memcmp(bytes, "\xff\xd8\xff", 3) == 0) return "jpg";
    if (count > 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WEBP", 4) == 0) return "webp";
    if (count > 12 && memcmp(bytes + 4, "ftypavif", 8) == 0) return "avif";
    return "none";
}

static const char *format_of_file(const char *path) {
    char bytes[16] = { 0 };
    FILE *file = fopen(path, "rb");
    size_t count = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    return format_of(bytes, count);
}

/* A format has one number, whatever is written in it; 0 is the usual one. */
static void formats(const char *film, const char *folder) {
    static const char *const suffixes[] = { "jpg", "png", "jpg", "webp", "avif" };
    scrub_video *video = opened(film);
    char path[4096];
    for (uint32_t format = 0; format <= SCRUB_AVIF + 1; format++) {
        scrub_image image = SCRUB_IMAGE_INIT;
        scrub_thumbnails strip = SCRUB_THUMBNAILS_INIT;
        void *bytes = NULL;
        size_t count = 0;
        image.format = strip.format = format;
        image.want_width = strip.width = 32;
        strip.count = 2;
        snprintf(path, sizeof path, "%s/formats-%u", folder, format);
        if (format > SCRUB_AVIF) {
            CHECK(scrub_encode(video, 0, &image, &bytes, &count, NULL, &error) == SCRUB_USAGE && bytes == NULL);
            CHECK(scrub_write_strip(video, path, &strip, NULL, NULL, &error) == SCRUB_USAGE);
            continue;
        }
        int status = scrub_encode(video, 0, &image, &bytes, &count, NULL, &error);
        if (format == SCRUB_AVIF && status == SCRUB_UNAVAILABLE) continue; /* no encoder on this machine */
        CHECK(status == SCRUB_OK && strcmp(format_of((char *)bytes, count), format ? suffixes[format] : "png") == 0);
        scrub_free(bytes);
        CHECK(scrub_write_strip(video, path, &strip, NULL, NULL, &error) == SCRUB_OK);
        snprintf(path, sizeof path, "%s/formats-%u/sheet-000.%s", folder, format, suffixes[format]);
        CHECK(strcmp(format_of_file(path), suffixes[format]) == 0);
        for (uint32_t other = SCRUB_PNG; other <= SCRUB_WEBP; other++) {
            snprintf(path, sizeof path, "%s/formats-%u-%u.%s", folder, format, other, suffixes[other]);
            status = scrub_save(video, 0, path, &image, NULL, &error);
            CHECK(status == (format == 0 || format == other ? SCRUB_OK : SCRUB_USAGE));
            CHECK(strcmp(format_of_file(path), status == SCRUB_OK ? suffixes[other] : "none") == 0);
        }
    }
    /* No flag means something else in another structure. */
    scrub_image image = SCRUB_IMAGE_INIT;
    scrub_picture picture = wanted(SCRUB_RGB8);
    scrub_options options = SCRUB_OPTIONS_INIT;
    scrub_thumbnails strip = SCRUB_THUMBNAILS_INIT;
    scrub_video *other = NULL;
    int64_t frame = 0;
    image.flags = SCRUB_TONE_MAP;
    picture.flags = SCRUB_KEEP_HDR;
    options.flags = SCRUB_CLAMP;
    strip.count = 1;
    strip.flags = SCRUB_NO_CACHE;
    CHECK(scrub_save(video, 0, path, &image, NULL, &error) == SCRUB_USAGE);
    CHECK(scrub_read(video, 0, &picture, &error) == SCRUB_USAGE);
    CHECK(scrub_open(film, &options, &other, &error) == SCRUB_USAGE);
    CHECK(scrub_write_strip(video, folder, &strip, NULL, NULL, &error) == SCRUB_USAGE);
    CHECK(scrub_find(video, "0.5", SCRUB_NO_CACHE, &frame, &error) == SCRUB_USAGE);
    scrub_close(video);
}

int main(int count, char **words) {
    if (count != 3) return SCRUB_USAGE;
    formats(words[1], words[2]);
    quiet();
    return 0;
}
