/* Structures of earlier and later headers, and of wrong sizes: structures FILM FOLDER. Each lies at the end of memory of its own size, so
 * that the address sanitizer sees every byte too many. It ends with 0, or stops at the first line that is wrong. */
#include "common.h"

static scrub_video *video;
static const char *film, *folder;

/* Memory of `bytes`, the beginning of a structure in it, zeros behind it, and the size that it says. */
static void *laid(const void *structure, size_t size, size_t bytes, uint32_t said) {
    char *memory = calloc(1, bytes < 4 ? 4 : bytes);
    memcpy(memory, structure, bytes < size ? (bytes < 4 ? 4 : bytes) : size);
    memcpy(memory, &said, 4);
    return memory;
}

typedef int (*use)(void *structure);

/* A structure in all sizes. What is refused leaves it as it is. */
static void sizes(const char *name, const void *structure, size_t size, size_t alignment, use call) {
    static const uint32_t wrong[] = { 0, 1, 4, 8, 4097, 4104, 0x7fffffff, UINT32_MAX };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        void *memory = laid(structure, size, wrong[i] < size ? wrong[i] : size, wrong[i]);
        CHECK(call(memory) == SCRUB_USAGE);
        free(memory);
    }
    for (size_t less = 1; less <= size; less += less < 16 ? 1 : 8) {
        void *memory = laid(structure, size, size - less, (uint32_t)(size - less));
        CHECK(call(memory) == SCRUB_USAGE);
        free(memory);
    }
    for (size_t more = 0; more <= 64; more += more < 16 ? 1 : 16) {
        char *memory = laid(structure, size, size + more, (uint32_t)(size + more));
        int status = call(memory);
        if (status != (more % alignment ? SCRUB_USAGE : SCRUB_OK)) {
            fprintf(stderr, "%s with %zu bytes more: %d, %s\n", name, more, status, error.message);
            exit(1);
        }
        for (size_t place = size; place < size + more; place++) CHECK(memory[place] == 0);
        uint32_t said;
        memcpy(&said, memory, 4);
        CHECK(said == size + more);
        free(memory);
    }
    /* What only a later library knows is not left out without a word. */
    for (size_t place = 0; place < 16; place++) {
        char *memory = laid(structure, size, size + 16, (uint32_t)(size + 16)), *before = malloc(size + 16);
        memory[size + place] = (char)0x80;
        memcpy(before, memory, size + 16);
        CHECK(call(memory) == SCRUB_USAGE);
        if (strcmp(name, "scrub_error") != 0) {
            CHECK(memcmp(before, memory, size + 16) == 0);
            char words[64];
            snprintf(words, sizeof words, "byte %zu", size + place);
            CHECK(strstr(error.message, name) && strstr(error.message, words));
        }
        free(before);
        free(memory);
    }
}

static int open_with(void *options) {
    scrub_video *other = NULL;
    int status = scrub_open(film, options, &other, &error);
    CHECK((status == SCRUB_OK) == (other != NULL));
    scrub_close(other);
    return status;
}

static int open_with_network(void *network) {
    scrub_options options = SCRUB_OPTIONS_INIT;
    options.network = network;
    return open_with(&options);
}

static int64_t read_nothing(void *context, int64_t offset, void *buffer, size_t count) {
    (void)context, (void)offset, (void)buffer, (void)count;
    return -EIO;
}

static int open_reader(void *reader) {
    scrub_video *other = NULL;
    int status = scrub_open_reader(reader, NULL, NULL, &other, &error);
    CHECK(other == NULL);
    return status == SCRUB_IO ? SCRUB_OK : status;
}

static int facts_of(void *facts) { return scrub_get_facts(video, facts, &error); }
static int length_of(void *failure) {
    int64_t count = -1, numerator, denominator;
    int status = scrub_get_length(video, &count, &numerator, &denominator, failure);
    /* With an error of a wrong size nothing is done. */
    CHECK((status == SCRUB_OK) == (count >= 0));
    return status;
}
static int read_into(void *picture) { return scrub_read(video, 1, picture, &error); }
static int read_one(void *picture) {
    int64_t frame = 2;
    return scrub_read_many(video, &frame, 1, picture, &error);
}

static int encode(const scrub_image *image, scrub_picture *picture) {
    void *bytes = NULL;
    size_t count = 0;
    int status = scrub_encode(video, 1, image, &bytes, &count, picture, &error);
    CHECK((status == SCRUB_OK) == (bytes != NULL && count > 0));
    scrub_free(bytes);
    return status;
}
static int encode_with(void *image) { return encode(image, NULL); }
static int encode_into(void *picture) {
    scrub_image image = SCRUB_IMAGE_INIT;
    image.want_width = 16;
    return encode(&image, picture);
}
static int save(const scrub_image *image, scrub_picture *picture) {
    char path[4096];
    struct stat facts;
    snprintf(path, sizeof path, "%s/sized.png", folder);
    unlink(path);
    int status = scrub_save(video, 1, path, image, picture, &error);
    CHECK((status == SCRUB_OK) == (stat(path, &facts) == 0));
    return status;
}
static int save_with(void *image) { return save(image, NULL); }
static int save_into(void *picture) { return save(NULL, picture); }
static int strip_with(void *strip) {
    char path[4096];
    snprintf(path, sizeof path, "%s/sized", folder);
    return scrub_write_strip(video, path, strip, NULL, NULL, &error);
}
static int posters_with(void *options) {
    scrub_poster found[2];
    size_t count = 0;
    int status = scrub_find_posters(video, options, found, 2, &count, &error);
    CHECK((status == SCRUB_OK) == (count > 0));
    return status;
}
static int scenes_with(void *options) {
    scrub_scene *found = NULL;
    size_t count = 0;
    int status = scrub_find_scenes(video, options, &found, &count, &error);
    CHECK((status == SCRUB_OK) == (count > 0 && found != NULL));
    scrub_free(found);
    return status;
}

static scrub_session *session;

static int session_with(void *options) {
    scrub_session *other = NULL;
    int status = scrub_session_open(video, options, &other, &error);
    CHECK((status == SCRUB_OK) == (other != NULL));
    scrub_session_close(other);
    return status;
}
static int take_into(void *update) { return scrub_session_take(session, 0, update, &error); }
static int memory_into(void *memory) { return scrub_session_get_memory(session, memory, &error); }
static scrub_pixel_buffer *buffer;
static int planes_into(void *planes) { return scrub_pixel_buffer_get_planes(buffer, planes, &error); }
static int copy_into(void *picture) { return scrub_pixel_buffer_copy(buffer, picture, &error); }
static int encode_buffer_with(void *image) {
    void *bytes = NULL;
    size_t count = 0;
    int status = scrub_pixel_buffer_encode(buffer, image, &bytes, &count, &error);
    scrub_free(bytes);
    return status;
}

static void structures_of_sessions(void) {
    scrub_session_options options = SCRUB_SESSION_OPTIONS_INIT;
    scrub_update update = SCRUB_UPDATE_INIT;
    scrub_memory memory = SCRUB_MEMORY_INIT;
    scrub_planes planes = SCRUB_PLANES_INIT;
    scrub_picture picture = SCRUB_PICTURE_INIT;
    scrub_image image = SCRUB_IMAGE_INIT;
    picture.layout = SCRUB_RGB8;
    image.want_width = 16;
    sizes("scrub_session_options", &options, sizeof options, 8, session_with);
    CHECK(scrub_session_open(video, NULL, &session, &error) == SCRUB_OK);
    sizes("scrub_update", &update, sizeof update, 8, take_into);
    sizes("scrub_memory", &memory, sizeof memory, 8, memory_into);
    CHECK(scrub_session_request(session, 5, SCRUB_RESTING, NULL, &error) == SCRUB_OK);
    while (update.stage != SCRUB_STAGE_EXACT) {
        scrub_pixel_buffer_release(update.picture);
        CHECK(scrub_session_take(session, -1, &update, &error) == SCRUB_OK);
    }
    buffer = update.picture;
    sizes("scrub_planes", &planes, sizeof planes, 8, planes_into);
    sizes("scrub_picture", &picture, sizeof picture, 8, copy_into);
    sizes("scrub_image", &image, sizeof image, 4, encode_buffer_with);
    scrub_pixel_buffer_release(buffer);
    scrub_session_close(session);
}

static void every_structure(void) {
    scrub_options options = SCRUB_OPTIONS_INIT;
    scrub_network network = SCRUB_NETWORK_INIT;
    scrub_reader reader = SCRUB_READER_INIT;
    scrub_facts facts = SCRUB_FACTS_INIT;
    scrub_picture picture = SCRUB_PICTURE_INIT;
    scrub_image image = SCRUB_IMAGE_INIT;
    scrub_thumbnails strip = SCRUB_THUMBNAILS_INIT;
    scrub_error failure = SCRUB_ERROR_INIT;
    picture.layout = SCRUB_RGB8;
    reader.byte_count = 1000;
    reader.read = read_nothing;
    image.want_width = 16;
    strip.count = 2;
    strip.width = 16;
    sizes("scrub_options", &options, sizeof options, 8, open_with);
    sizes("scrub_network", &network, sizeof network, 8, open_with_network);
    sizes("scrub_reader", &reader, sizeof reader, 8, open_reader);
    sizes("scrub_facts", &facts, sizeof facts, 8, facts_of);
    sizes("scrub_picture", &picture, sizeof picture, 8, read_into);
    sizes("scrub_picture", &picture, sizeof picture, 8, read_one);
    sizes("scrub_picture", &picture, sizeof picture, 8, encode_into);
    sizes("scrub_picture", &picture, sizeof picture, 8, save_into);
    sizes("scrub_image", &image, sizeof image, 4, encode_with);
    sizes("scrub_image", &image, sizeof image, 4, save_with);
    scrub_poster_options posters = SCRUB_POSTER_OPTIONS_INIT;
    scrub_scene_options scenes = SCRUB_SCENE_OPTIONS_INIT;
    posters.candidates = 2;
    scenes.flags = SCRUB_KEYFRAMES;
    sizes("scrub_thumbnails", &strip, sizeof strip, 8, strip_with);
    sizes("scrub_poster_options", &posters, sizeof posters, 4, posters_with);
    sizes("scrub_scene_options", &scenes, sizeof scenes, 8, scenes_with);
    sizes("scrub_error", &failure, sizeof failure, 4, length_of);
}

/* An array of a later header's structures: its size is the step. */
static void arrays(size_t more) {
    enum { COUNT = 5 };
    static const int64_t numbers[COUNT] = { 7, 0, 30, 7, 12 };
    size_t step = sizeof(scrub_picture) + more;
    char *memory = calloc(COUNT, step);
    scrub_picture pictures[COUNT];
    for (int i = 0; i < COUNT; i++) {
        scrub_picture *one = (scrub_picture *)(void *)(memory + (size_t)i * step);
        pictures[i] = wanted(SCRUB_RGB8);
        CHECK(scrub_read(video, numbers[i], &pictures[i], &error) == SCRUB_OK);
        make_room(&pictures[i]);
        CHECK(scrub_read(video, numbers[i], &pictures[i], &error) == SCRUB_OK);
        *one = wanted(SCRUB_RGB8);
        one->size = (uint32_t)step;
        one->capacity[0] = pictures[i].needed[0];
        one->data[0] = malloc(one->capacity[0]);
    }
    CHECK(scrub_read_many(video, numbers, COUNT, (scrub_picture *)(void *)memory, &error) == SCRUB_OK);
    for (int i = 0; i < COUNT; i++) {
        scrub_picture *one = (scrub_picture *)(void *)(memory + (size_t)i * step);
        CHECK(one->size == step && one->frame == numbers[i] && one->status == SCRUB_OK && one->verdict == SCRUB_EXACT);
        CHECK(one->width == pictures[i].width && one->pts == pictures[i].pts);
        CHECK(memcmp(one->data[0], pictures[i].data[0], one->needed[0]) == 0);
        for (size_t place = sizeof *one; place < step; place++) CHECK(((char *)one)[place] == 0);
        empty(&pictures[i]);
    }
    /* One that is not like the first, or asks for more than is known: all are refused, and none is touched. */
    for (int i = 1; i < COUNT; i++) {
        scrub_picture *one = (scrub_picture *)(void *)(memory + (size_t)i * step);
        static const uint32_t others[] = { 0, 8, sizeof(scrub_picture) + 32, 4096, UINT32_MAX };
        char *before = malloc(COUNT * step);
        for (size_t k = 0; k <= sizeof others / sizeof *others; k++) {
            int isTail = k == sizeof others / sizeof *others;
            if (isTail && more == 0) break;
            if (isTail) ((char *)one)[step - 1] = 1;
            else one->size = others[k] == step ? (uint32_t)step + 8 : others[k];
            memcpy(before, memory, COUNT * step);
            CHECK(scrub_read_many(video, numbers, COUNT, (scrub_picture *)(void *)memory, &error) == SCRUB_USAGE);
            CHECK(memcmp(before, memory, COUNT * step) == 0);
            if (isTail) ((char *)one)[step - 1] = 0;
            one->size = (uint32_t)step;
        }
        free(before);
    }
    for (int i = 0; i < COUNT; i++) free(((scrub_picture *)(void *)(memory + (size_t)i * step))->data[0]);
    free(memory);
}

/* Sizes and tails as they come: what is taken and what is refused is only a matter of the header's words. */
static void any(void) {
    uint32_t state = 2463534242u;
    for (int i = 0; i < 20000; i++) {
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        uint32_t said = state % 3 == 0 ? state >> 2 : state % 700;
        size_t bytes = said > 4096 ? sizeof(scrub_facts) : said < 4 ? 4 : said;
        scrub_facts facts = SCRUB_FACTS_INIT;
        char *memory = laid(&facts, sizeof facts, bytes, said);
        int hasTail = bytes > sizeof facts && state & 0x10000;
        if (hasTail) memory[sizeof facts + (state >> 8) % (bytes - sizeof facts)] = 1;
        int isTaken = said >= sizeof facts && said <= 4096 && said % 8 == 0 && !hasTail;
        CHECK(scrub_get_facts(video, (scrub_facts *)(void *)memory, &error) == (isTaken ? SCRUB_OK : SCRUB_USAGE));
        free(memory);
    }
}

int main(int count, char **words) {
    if (count != 3) return SCRUB_USAGE;
    film = words[1];
    folder = words[2];
    video = opened(film);
    every_structure();
    structures_of_sessions();
    for (size_t more = 0; more <= 64; more += 8) arrays(more);
    any();
    scrub_close(video);
    quiet();
    return 0;
}
