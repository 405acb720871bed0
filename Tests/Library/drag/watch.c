/* Looks at what a program with SDL shows, from inside of it (LD_PRELOAD): the frame that each movement of the mouse asks for, and the bar code
 * in the pixels of each picture, before it is on the screen. A line for each to the descriptor 3, with milliseconds of the monotonic clock. */
#define _GNU_SOURCE
#include <SDL.h>
#include <dlfcn.h>
#include <scrub.h>
#include <stdio.h>
#include <time.h>

enum { CELLS = 12, ROWS = 14, LEAST = 64 };

static void say(const char *kind, long long number) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    dprintf(3, "%s %.3f %lld\n", kind, (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6, number);
}

scrub_status scrub_session_moved(scrub_session *session, double x, double y, double width, int64_t *frame, uint64_t *request, scrub_error *error) {
    scrub_status (*real)(scrub_session *, double, double, double, int64_t *, uint64_t *, scrub_error *) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "scrub_session_moved");
    int64_t found = -1;
    say("move", -1);
    scrub_status status = real(session, x, y, width, &found, request, error);
    if (frame) *frame = found;
    say("asked", found);
    return status;
}

/* The number of a picture whose uppermost seventh is a bar code: two rows of twelve cells, the second one the inverse. -1: there is none. */
static int code(SDL_Renderer *renderer) {
    int width = 0, height = 0, number = 0;
    if (SDL_GetRendererOutputSize(renderer, &width, &height) != 0) return -1;
    for (int cell = 0; cell < CELLS; cell++) {
        Uint8 light[2];
        for (int row = 0; row < 2; row++) {
            Uint32 pixel = 0;
            SDL_Rect place = { (2 * cell + 1) * width / (2 * CELLS), (2 * row + 1) * height / (2 * ROWS), 1, 1 };
            if (SDL_RenderReadPixels(renderer, &place, SDL_PIXELFORMAT_ARGB8888, &pixel, 4) != 0) return -1;
            light[row] = (Uint8)(pixel >> 8);
        }
        if (SDL_abs(light[0] - light[1]) < LEAST) return -1;
        if (light[0] > light[1]) number |= 1 << cell;
    }
    return number;
}

void SDL_RenderPresent(SDL_Renderer *renderer) {
    void (*real)(SDL_Renderer *) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "SDL_RenderPresent");
    int number = code(renderer);
    real(renderer);
    say("shown", number);
}
