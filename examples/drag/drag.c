/* A window in which the mouse drags through a film: drag FILM. Press, move left and right, let go; q or Escape ends it.
 *
 *     cc -std=c11 drag.c $(pkg-config --cflags --libs scrub sdl2) -o drag
 *
 * It prints a line for every picture that it shows: its frame, the frame under the finger, its stage, and the microseconds from the request to
 * the screen. */
#include <SDL.h>
#include <scrub.h>
#include <stdio.h>

static SDL_Window *window;
static SDL_Renderer *renderer;
static SDL_Texture *texture;
static int texture_width, texture_height;
static Uint32 arrived;
static scrub_error error = SCRUB_ERROR_INIT;

/* Runs on a thread of the library's: the window's thread takes the picture. */
static void news(void *context) {
    (void)context;
    SDL_Event event = { .type = arrived };
    while (SDL_PushEvent(&event) < 0) SDL_Delay(1); /* its queue is full: this is not said again */
}

/* Puts a picture into the texture, scaled to the window, because a renderer without a graphics card scales more slowly. */
static int fill(scrub_pixel_buffer *buffer) {
    int width, height;
    scrub_picture picture = SCRUB_PICTURE_INIT;
    picture.layout = SCRUB_BGRA8;
    if (SDL_GetRendererOutputSize(renderer, &width, &height) != 0 || scrub_pixel_buffer_copy(buffer, &picture, &error) != SCRUB_OK) return 0;
    int isWide = (long long)picture.width * height > (long long)width * picture.height;
    if (isWide) picture.want_width = width; /* the height follows */
    else picture.want_height = height;
    if (scrub_pixel_buffer_copy(buffer, &picture, &error) != SCRUB_OK) return 0; /* says how large it will be */
    if (picture.width != texture_width || picture.height != texture_height) {
        if (texture) SDL_DestroyTexture(texture);
        texture_width = picture.width, texture_height = picture.height;
        SDL_RenderSetLogicalSize(renderer, texture_width, texture_height); /* keeps the aspect in a window of another one */
        texture = SDL_CreateTexture(renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STREAMING, texture_width, texture_height);
    }
    int stride = 0;
    if (!texture || SDL_LockTexture(texture, NULL, &picture.data[0], &stride) != 0) return 0;
    picture.stride[0] = (size_t)stride;
    picture.capacity[0] = (size_t)stride * (size_t)texture_height;
    int status = scrub_pixel_buffer_copy(buffer, &picture, &error);
    SDL_UnlockTexture(texture);
    return status == SCRUB_OK;
}

static void draw(void) {
    SDL_RenderClear(renderer);
    if (texture) SDL_RenderCopy(renderer, texture, NULL, NULL);
    SDL_RenderPresent(renderer);
}

/* Shows the newest picture, if there is one. */
static int show(scrub_session *session) {
    static const char *const stages[] = { "none", "nearest", "preview", "exact", "awaiting-memory", "failed" };
    scrub_update update = SCRUB_UPDATE_INIT;
    if (scrub_session_take(session, 0, &update, &error) != SCRUB_OK) return 0;
    if (update.stage == SCRUB_STAGE_FAILED) fprintf(stderr, "%s\n", update.reason);
    if (!update.picture) return 1;
    Uint64 begin = SDL_GetPerformanceCounter();
    int is_shown = fill(update.picture);
    scrub_pixel_buffer_release(update.picture);
    if (!is_shown) return 0;
    draw();
    Uint64 drawing = (SDL_GetPerformanceCounter() - begin) * 1000000 / SDL_GetPerformanceFrequency();
    printf("%lld %lld %s %lld\n", (long long)update.frame, (long long)update.requested_frame, stages[update.stage],
           (long long)update.latency_ns / 1000 + (long long)drawing);
    fflush(stdout);
    return 1;
}

int main(int count, char **words) {
    if (count != 2) return fprintf(stderr, "usage: drag FILM\n"), SCRUB_USAGE;
    scrub_video *video = NULL;
    scrub_session *session = NULL;
    scrub_facts facts = SCRUB_FACTS_INIT;
    if (scrub_open(words[1], NULL, &video, &error) != SCRUB_OK || scrub_get_facts(video, &facts, &error) != SCRUB_OK ||
        scrub_session_open(video, NULL, &session, &error) != SCRUB_OK)
        return fprintf(stderr, "%s\n", error.message), error.status;
    int isTurned = facts.rotation % 180 != 0, width = isTurned ? facts.height : facts.width, height = isTurned ? facts.width : facts.height;
    if (width > 1280) height = (int)(1280LL * height / width), width = 1280;
    if (SDL_Init(SDL_INIT_VIDEO) != 0 || SDL_CreateWindowAndRenderer(width, height, SDL_WINDOW_RESIZABLE, &window, &renderer) != 0)
        return fprintf(stderr, "no window: %s\n", SDL_GetError()), SCRUB_UNAVAILABLE;
    arrived = SDL_RegisterEvents(1);
    SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "linear");
    SDL_SetWindowTitle(window, words[1]);
    int is_going = scrub_session_set_callback(session, news, NULL, &error) == SCRUB_OK &&
        scrub_session_began(session, "0.5", NULL, &error) == SCRUB_OK && scrub_session_ended(session, 0, NULL, &error) == SCRUB_OK;
    int pressed = 0, start = 0;
    SDL_Event event;
    while (is_going && SDL_WaitEvent(&event)) {
        if (event.type == SDL_QUIT) break;
        if (event.type == SDL_KEYDOWN && (event.key.keysym.sym == SDLK_q || event.key.keysym.sym == SDLK_ESCAPE)) break;
        if (event.type == arrived) is_going = show(session);
        if (event.type == SDL_WINDOWEVENT && event.window.event == SDL_WINDOWEVENT_EXPOSED) draw();
        if (event.type == SDL_MOUSEBUTTONDOWN && !pressed) {
            pressed = 1, start = event.button.x;
            scrub_session_began(session, NULL, NULL, NULL);
        }
        if (event.type == SDL_MOUSEMOTION && pressed) {
            SDL_GetWindowSize(window, &width, &height);
            scrub_session_moved(session, event.motion.x - start, 0, width, NULL, NULL, NULL);
        }
        if (event.type == SDL_MOUSEBUTTONUP && pressed) {
            pressed = 0;
            scrub_session_ended(session, 0, NULL, NULL);
        }
    }
    if (!is_going) fprintf(stderr, "%s %s\n", error.message, SDL_GetError());
    scrub_session_close(session);
    scrub_close(video);
    SDL_Quit();
    return is_going ? SCRUB_OK : SCRUB_UNAVAILABLE;
}
