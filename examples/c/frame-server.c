/* Frames for another program: frame-server FILM < positions > frames.
 *
 * Each line of the input is a position ("0.42", "12.5s", "f100", "last"). For each of them one line comes, `frame pts width height
 * verdict`, and the picture: height rows of width times three bytes, red first. Frames that lines ask for one after the other are
 * decoded ahead.
 *
 *     cc -std=c11 frame-server.c $(pkg-config --cflags --libs scrub) -o frame-server */
#include <scrub.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdicts[] = { "exact", "damaged", "approximate", "undecodable" };

/* Reads a frame, and makes room for it where there is too little. */
static int read_frame(scrub_video *video, int64_t frame, scrub_picture *picture, scrub_error *error) {
    picture->stride[0] = 0; /* a film may change its size */
    int status = scrub_read(video, frame, picture, error);
    if (picture->planes != 1 || picture->capacity[0] >= picture->needed[0]) return status;
    void *larger = realloc(picture->data[0], picture->needed[0]);
    if (!larger) return SCRUB_UNAVAILABLE;
    picture->data[0] = larger;
    picture->capacity[0] = picture->needed[0];
    return scrub_read(video, frame, picture, error);
}

int main(int count, char **words) {
    if (count != 2) {
        fprintf(stderr, "usage: frame-server FILM < positions > frames\n");
        return SCRUB_USAGE;
    }
    scrub_error error = SCRUB_ERROR_INIT;
    scrub_video *video = NULL;
    int status = scrub_open(words[1], NULL, &video, &error);
    if (status != SCRUB_OK) {
        fprintf(stderr, "%s\n", error.message);
        return status;
    }
    scrub_picture picture = SCRUB_PICTURE_INIT;
    picture.layout = SCRUB_RGB8;
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        int64_t frame = 0;
        line[strcspn(line, "\r\n")] = 0;
        int result = scrub_find(video, line, 0, &frame, &error);
        if (result == SCRUB_OK) result = read_frame(video, frame, &picture, &error);
        if (result != SCRUB_OK) {
            fprintf(stderr, "%s\n", error.message);
            status = result;
            continue;
        }
        printf("%lld %lld %d %d %s\n", (long long)picture.frame, (long long)picture.pts, (int)picture.width, (int)picture.height,
            verdicts[picture.verdict]);
        if (fwrite(picture.data[0], 1, picture.needed[0], stdout) != picture.needed[0]) {
            status = SCRUB_IO;
            break;
        }
    }
    free(picture.data[0]);
    scrub_close(video);
    return status;
}
