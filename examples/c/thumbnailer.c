/* A thumbnail of a film: thumbnailer FILM PICTURE [SIDE]. The picture is a frame that represents the film.
 *
 *     cc -std=c11 thumbnailer.c $(pkg-config --cflags --libs scrub) -o thumbnailer */
#include <scrub.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
    if (count < 3 || count > 4) {
        fprintf(stderr, "usage: thumbnailer FILM PICTURE.png|.jpg|.webp|.avif [SIDE]\n");
        return SCRUB_USAGE;
    }
    scrub_error error = SCRUB_ERROR_INIT;
    scrub_video *video = NULL;
    scrub_poster poster;
    scrub_poster_options search = SCRUB_POSTER_OPTIONS_INIT;
    size_t found = 0;
    scrub_image image = SCRUB_IMAGE_INIT;
    scrub_picture picture = SCRUB_PICTURE_INIT;
    search.candidates = 12;
    image.want_width = image.want_height = count == 4 ? atoi(words[3]) : 256;

    int status = scrub_open(words[1], NULL, &video, &error);
    if (status == SCRUB_OK) status = scrub_find_posters(video, &search, &poster, 1, &found, &error);
    if (status == SCRUB_OK) status = scrub_save(video, poster.frame, words[2], &image, &picture, &error);
    if (status == SCRUB_OK)
        printf("frame %lld, %d x %d\n", (long long)picture.frame, (int)picture.width, (int)picture.height);
    else
        fprintf(stderr, "%s\n", error.message);
    scrub_close(video);
    return status;
}
