/* What is written, and over what: outputs FILM FOLDER. FOLDER is empty and for files. It ends with 0, or stops at the first line that is
 * wrong. */
#include "common.h"

static int has_bytes(const char *path, const char *bytes, size_t count) {
    FILE *file = fopen(path, "rb");
    char *found = calloc(1, count + 1);
    size_t read = file ? fread(found, 1, count + 1, file) : 0;
    int same = read == count && memcmp(found, bytes, count) == 0;
    if (file) fclose(file);
    free(found);
    return same;
}

/* An output never replaces a file that is read, and another program's only on demand. */
static void outputs(const char *film, const char *folder) {
    static const char *const names[] = { "own.png", "second.png", "link.png", "./own.png" };
    char own[4096], path[4096];
    struct stat facts;
    CHECK(stat(film, &facts) == 0);
    size_t count = (size_t)facts.st_size;
    char *bytes = malloc(count);
    FILE *file = fopen(film, "rb");
    CHECK(file && fread(bytes, 1, count, file) == count && fclose(file) == 0);
    snprintf(own, sizeof own, "%s/own.png", folder);
    file = fopen(own, "wb");
    CHECK(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
    snprintf(path, sizeof path, "%s/second.png", folder);
    CHECK(link(own, path) == 0);
    snprintf(path, sizeof path, "%s/link.png", folder);
    CHECK(symlink("own.png", path) == 0);
    snprintf(path, sizeof path, "%s/set", folder);
    CHECK(mkdir(path, 0700) == 0);
    snprintf(path, sizeof path, "%s/set/manifest.json", folder);
    CHECK(link(own, path) == 0);
    scrub_video *video = opened(own);
    for (uint32_t flags = 0; flags <= SCRUB_REPLACE; flags += SCRUB_REPLACE) {
        scrub_image image = SCRUB_IMAGE_INIT;
        scrub_thumbnails strip = SCRUB_THUMBNAILS_INIT;
        image.flags = strip.flags = flags;
        strip.count = 2;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            snprintf(path, sizeof path, "%s/%s", folder, names[i]);
            CHECK(
                scrub_save(video, 1, path, &image, NULL, &error) == SCRUB_USAGE && strstr(error.message, "is an input"));
        }
        snprintf(path, sizeof path, "%s/set", folder);
        CHECK(scrub_write_strip(video, path, &strip, NULL, NULL, &error) == SCRUB_USAGE);
        CHECK(has_bytes(own, bytes, count));
        snprintf(path, sizeof path, "%s/strange-%u.png", folder, flags);
        file = fopen(path, "wb");
        CHECK(file && fputs("somebody's own", file) >= 0 && fclose(file) == 0);
        CHECK(scrub_save(video, 1, path, &image, NULL, &error) == (flags ? SCRUB_OK : SCRUB_USAGE));
        CHECK(has_bytes(path, "somebody's own", 14) == (flags == 0));
        if (flags) CHECK(scrub_save(video, 2, path, NULL, NULL, &error) == SCRUB_OK);
    }
    scrub_close(video);
    free(bytes);
}

int main(int count, char **words) {
    if (count != 3) return SCRUB_USAGE;
    outputs(words[1], words[2]);
    printf("no output destroys a film\n");
    return 0;
}
