/* What scrub.h promises, tried by a program in C: library FILM FOLDER. FOLDER is empty and for files. It ends with 0, or stops at the
 * first line that is wrong. */
#include "common.h"

static void handles(const char *film) {
    scrub_video *video = opened(film), *other = NULL;
    scrub_facts facts = SCRUB_FACTS_INIT;
    scrub_picture picture = wanted(SCRUB_RGB8);
    CHECK(scrub_open(NULL, NULL, &other, &error) == SCRUB_USAGE && other == NULL);
    CHECK(scrub_open(film, NULL, NULL, &error) == SCRUB_USAGE);
    CHECK(scrub_open("no-such-film.mp4", NULL, &other, NULL) == SCRUB_NO_INPUT && other == NULL);
    CHECK(scrub_open("no-such-film.mp4", NULL, &other, &error) == SCRUB_NO_INPUT);
    CHECK(error.status == SCRUB_NO_INPUT && strstr(error.message, "no-such-film.mp4"));
    /* A sentence that is too long is cut between characters, and says so. */
    char name[3001] = "", part[] = "\xc3\xa4/";
    for (int i = 0; i < 1000; i++) memcpy(name + 3 * i, part, 3);
    CHECK(scrub_open(name, NULL, &other, &error) != SCRUB_OK && other == NULL);
    size_t length = strlen(error.message);
    CHECK(length > sizeof error.message - 8 && length < sizeof error.message && strcmp(error.message + length - 3, "\xe2\x80\xa6") == 0);
    CHECK(strncmp(error.message + length - 6, "\xc3\xa4/", 3) == 0 || strncmp(error.message + length - 5, "\xc3\xa4", 2) == 0);
    CHECK(scrub_get_facts(NULL, &facts, &error) == SCRUB_USAGE);
    CHECK(scrub_get_facts(video, NULL, &error) == SCRUB_USAGE);
    facts.size = 8;
    CHECK(scrub_get_facts(video, &facts, &error) == SCRUB_USAGE && strstr(error.message, "SCRUB_FACTS_INIT"));
    /* An error without its size is not touched: its memory may be smaller. */
    scrub_error none;
    memset(&none, 0x5a, sizeof none);
    none.size = 16;
    CHECK(scrub_get_facts(NULL, NULL, &none) == SCRUB_USAGE && none.message[0] == 0x5a);
    scrub_close(video);
    scrub_close(video);
    scrub_close(NULL);
    scrub_cancel(video);
    CHECK(scrub_read(video, 0, &picture, &error) == SCRUB_USAGE && strstr(error.message, "closed"));
    scrub_options options = SCRUB_OPTIONS_INIT;
    options.flags = 0x80;
    CHECK(scrub_open(film, &options, &other, &error) == SCRUB_USAGE);
    options.flags = SCRUB_NO_CACHE;
    options.stream = 99;
    CHECK(scrub_open(film, &options, &other, &error) == SCRUB_USAGE);
    options.stream = -1;
    options.pixel_limit = 16;
    CHECK(scrub_open(film, &options, &other, &error) == SCRUB_BAD_DATA);
    CHECK(strstr(error.message, "raise pixel_limit to ") != NULL);
    scrub_set_words(SCRUB_PYTHON_WORDS);
    CHECK(scrub_open(film, &options, &other, &error) == SCRUB_BAD_DATA);
    CHECK(strstr(error.message, "limits={\"pixels\": ") != NULL && strstr(error.message, "--") == NULL);
    scrub_set_words(SCRUB_C_WORDS);
    options.pixel_limit = 0;
    options.memory = UINT64_MAX;
    CHECK(scrub_open(film, &options, &other, &error) == SCRUB_USAGE);
}

static void layouts(const char *film) {
    static const int bytes[] = { 0, 3, 4, 4, 1, 6, 8 };
    scrub_video *video = opened(film);
    scrub_picture rgb = wanted(SCRUB_RGB8);
    CHECK(scrub_read(video, 1, &rgb, &error) == SCRUB_OK && rgb.planes == 1 && rgb.needed[0] > 0);
    make_room(&rgb);
    CHECK(scrub_read(video, 1, &rgb, &error) == SCRUB_OK && rgb.verdict == SCRUB_EXACT && rgb.frame == 1);
    CHECK(rgb.needed[0] == (size_t)rgb.width * 3 * (size_t)rgb.height && rgb.reason[0] == 0);
    for (uint32_t layout = SCRUB_NATIVE; layout <= SCRUB_RGBA16; layout++) {
        scrub_picture picture = wanted(layout), padded = wanted(layout);
        CHECK(scrub_read(video, 1, &picture, &error) == SCRUB_OK && picture.planes >= 1);
        make_room(&picture);
        CHECK(scrub_read(video, 1, &picture, &error) == SCRUB_OK);
        if (layout != SCRUB_NATIVE) CHECK(picture.row_bytes[0] == picture.width * bytes[layout] && picture.rows[0] == picture.height);
        /* The same pixels with room between rows, which stays as it is. */
        for (int plane = 0; plane < picture.planes; plane++) padded.stride[plane] = (size_t)picture.row_bytes[plane] + 13;
        CHECK(scrub_read(video, 1, &padded, &error) == SCRUB_OK);
        for (int plane = 0; plane < padded.planes; plane++) {
            padded.capacity[plane] = padded.needed[plane];
            padded.data[plane] = malloc(padded.needed[plane]);
            memset(padded.data[plane], 0xa5, padded.needed[plane]);
        }
        CHECK(scrub_read(video, 1, &padded, &error) == SCRUB_OK);
        for (int plane = 0; plane < picture.planes; plane++)
            for (int row = 0; row < picture.rows[plane]; row++) {
                const char *tight = (const char *)picture.data[plane] + (size_t)row * picture.stride[plane];
                const char *wide = (const char *)padded.data[plane] + (size_t)row * padded.stride[plane];
                CHECK(memcmp(tight, wide, (size_t)picture.row_bytes[plane]) == 0);
                for (int i = 0; i < 13 && row + 1 < picture.rows[plane]; i++)
                    CHECK((unsigned char)wide[picture.row_bytes[plane] + i] == 0xa5);
            }
        if (layout == SCRUB_RGBA8 || layout == SCRUB_BGRA8) {
            const unsigned char *four = (const unsigned char *)picture.data[0], *three = (const unsigned char *)rgb.data[0];
            for (size_t i = 0; i < (size_t)picture.width * (size_t)picture.height; i++) {
                int red = layout == SCRUB_RGBA8 ? 0 : 2;
                CHECK(four[i * 4 + red] == three[i * 3] && four[i * 4 + 1] == three[i * 3 + 1] && four[i * 4 + 3] == 255);
            }
        }
        /* One byte too little is refused, before a byte is written. */
        picture.capacity[0] -= 1;
        memset(picture.data[0], 0x33, picture.capacity[0]);
        CHECK(scrub_read(video, 1, &picture, &error) == SCRUB_USAGE && picture.status == SCRUB_USAGE);
        CHECK(picture.needed[0] == picture.capacity[0] + 1 && ((char *)picture.data[0])[0] == 0x33);
        picture.capacity[0] += 1;
        picture.stride[0] = 1;
        CHECK(scrub_read(video, 1, &picture, &error) == SCRUB_USAGE);
        picture.stride[0] = SIZE_MAX / 2;
        CHECK(scrub_read(video, 1, &picture, &error) == SCRUB_USAGE);
        empty(&picture);
        empty(&padded);
    }
    scrub_picture small = wanted(SCRUB_RGB8);
    small.want_width = 64;
    CHECK(scrub_read(video, 1, &small, &error) == SCRUB_OK && small.width == 64 && small.height > 0);
    small.layout = SCRUB_NATIVE;
    CHECK(scrub_read(video, 1, &small, &error) == SCRUB_USAGE);
    small.layout = 77;
    CHECK(scrub_read(video, 1, &small, &error) == SCRUB_USAGE);
    CHECK(scrub_read(video, INT64_MAX, &rgb, &error) == SCRUB_USAGE && rgb.status == SCRUB_USAGE && rgb.planes == 0);
    CHECK(scrub_read(video, -1, &rgb, &error) == SCRUB_USAGE);
    empty(&rgb);
    scrub_close(video);
}

static void many(const char *film) {
    scrub_video *video = opened(film);
    int64_t count = frame_count(video), numbers[6] = { count - 1, 0, count / 2, 0, count, -7 };
    scrub_picture pictures[6];
    for (int i = 0; i < 6; i++) {
        pictures[i] = wanted(SCRUB_NATIVE);
        CHECK(scrub_read(video, i < 4 ? numbers[i] : 0, &pictures[i], &error) == SCRUB_OK);
        make_room(&pictures[i]);
    }
    CHECK(scrub_read_many(video, numbers, 4, pictures, &error) == SCRUB_OK);
    for (int i = 0; i < 4; i++) {
        scrub_picture alone = wanted(SCRUB_NATIVE);
        CHECK(pictures[i].status == SCRUB_OK && pictures[i].frame == numbers[i]);
        CHECK(scrub_read(video, numbers[i], &alone, &error) == SCRUB_OK);
        make_room(&alone);
        CHECK(scrub_read(video, numbers[i], &alone, &error) == SCRUB_OK);
        for (int plane = 0; plane < alone.planes; plane++)
            CHECK(memcmp(alone.data[plane], pictures[i].data[plane], alone.needed[plane]) == 0);
        empty(&alone);
    }
    memset(pictures[0].data[0], 0, pictures[0].capacity[0]);
    CHECK(scrub_read_many(video, numbers, 6, pictures, &error) == SCRUB_USAGE);
    CHECK(pictures[0].status == SCRUB_OK && pictures[3].status == SCRUB_OK && pictures[0].frame == count - 1);
    CHECK(pictures[4].status == SCRUB_USAGE && pictures[5].status == SCRUB_USAGE && pictures[5].reason[0]);
    CHECK(scrub_read_many(video, numbers, 0, NULL, &error) == SCRUB_OK);
    CHECK(scrub_read_many(video, NULL, 1, pictures, &error) == SCRUB_USAGE);
    CHECK(scrub_read_many(video, numbers, SIZE_MAX, pictures, &error) == SCRUB_USAGE);
    for (int i = 0; i < 6; i++) empty(&pictures[i]);
    scrub_close(video);
}

struct memory_film {
    char *bytes;
    int64_t count;
    int closed, fails;
};

static int64_t read_memory(void *context, int64_t offset, void *buffer, size_t count) {
    struct memory_film *film = (struct memory_film *)context;
    if (film->fails) return -EIO;
    if (offset >= film->count) return 0;
    /* In pieces: a reader may give less than it is asked for. */
    size_t part = (size_t)(film->count - offset) < count ? (size_t)(film->count - offset) : count;
    if (part > 4096) part = 4096;
    memcpy(buffer, film->bytes + offset, part);
    return (int64_t)part;
}

static void close_memory(void *context) { ((struct memory_film *)context)->closed += 1; }

static void readers(const char *film) {
    FILE *file = fopen(film, "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    struct memory_film memory = { NULL, ftell(file), 0, 0 };
    memory.bytes = malloc((size_t)memory.count);
    rewind(file);
    CHECK(fread(memory.bytes, 1, (size_t)memory.count, file) == (size_t)memory.count);
    fclose(file);

    scrub_video *whole = opened(film), *bytes = NULL, *read = NULL;
    scrub_reader reader = SCRUB_READER_INIT;
    reader.byte_count = memory.count;
    reader.context = &memory;
    reader.read = read_memory;
    reader.close = close_memory;
    CHECK(scrub_open_bytes(memory.bytes, (size_t)memory.count, NULL, NULL, &bytes, &error) == SCRUB_OK);
    CHECK(scrub_open_reader(&reader, "film in memory", NULL, &read, &error) == SCRUB_OK && memory.closed == 0);
    scrub_video *three[3] = { whole, bytes, read };
    scrub_picture pictures[3];
    int64_t last = frame_count(whole) - 1;
    for (int i = 0; i < 3; i++) {
        pictures[i] = wanted(SCRUB_RGB8);
        CHECK(scrub_read(three[i], last, &pictures[i], &error) == SCRUB_OK);
        make_room(&pictures[i]);
        CHECK(scrub_read(three[i], last, &pictures[i], &error) == SCRUB_OK && pictures[i].verdict == SCRUB_EXACT);
        CHECK(memcmp(pictures[0].data[0], pictures[i].data[0], pictures[0].needed[0]) == 0);
    }
    for (int i = 0; i < 3; i++) empty(&pictures[i]);
    scrub_close(whole);
    scrub_close(bytes);
    scrub_close(read);
    /* The last thread that reads may still be on its way out. */
    for (int i = 0; i < 200 && memory.closed == 0; i++) usleep(10000);
    CHECK(memory.closed == 1);

    memory.closed = 0;
    memory.fails = 1;
    CHECK(scrub_open_reader(&reader, "film that fails", NULL, &read, &error) == SCRUB_IO && read == NULL);
    CHECK(error.system_error == EIO && strstr(error.message, "film that fails") && memory.closed == 1);
    reader.read = NULL;
    memory.closed = 0;
    CHECK(scrub_open_reader(&reader, NULL, NULL, &read, &error) == SCRUB_USAGE && memory.closed == 1);
    CHECK(scrub_open_bytes("no film at all", 14, "text", NULL, &bytes, &error) == SCRUB_BAD_DATA);
    free(memory.bytes);
}

static void files(const char *film, const char *folder) {
    scrub_video *video = opened(film);
    scrub_image image = SCRUB_IMAGE_INIT;
    scrub_picture picture = SCRUB_PICTURE_INIT;
    void *bytes = NULL;
    size_t count = 0;
    CHECK(scrub_encode(video, 2, NULL, &bytes, &count, NULL, &error) == SCRUB_OK);
    CHECK(count > 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0);
    scrub_free(bytes);
    scrub_free(NULL);
    image.format = SCRUB_JPEG;
    image.want_width = 80;
    CHECK(scrub_encode(video, 2, &image, &bytes, &count, &picture, &error) == SCRUB_OK);
    CHECK(count > 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0 && picture.width == 80 && picture.frame == 2 && picture.verdict == SCRUB_EXACT);
    scrub_free(bytes);
    image.quality = 101;
    CHECK(scrub_encode(video, 2, &image, &bytes, &count, NULL, &error) == SCRUB_USAGE && bytes == NULL);
    char path[4096];
    struct stat facts;
    snprintf(path, sizeof path, "%s/picture.webp", folder);
    CHECK(scrub_save(video, 2, path, NULL, NULL, &error) == SCRUB_OK && stat(path, &facts) == 0 && facts.st_size > 0);
    snprintf(path, sizeof path, "%s/picture.xyz", folder);
    CHECK(scrub_save(video, 2, path, NULL, NULL, &error) == SCRUB_USAGE && stat(path, &facts) != 0);
    snprintf(path, sizeof path, "%s/no/picture.png", folder);
    CHECK(scrub_save(video, 2, path, NULL, NULL, &error) != SCRUB_OK && stat(path, &facts) != 0);
    snprintf(path, sizeof path, "%s/strip", folder);
    scrub_thumbnails strip = SCRUB_THUMBNAILS_INIT;
    strip.count = 7;
    strip.width = 64;
    CHECK(scrub_write_strip(video, path, &strip, &bytes, &count, &error) == SCRUB_OK);
    CHECK(strlen(bytes) == count && strstr(bytes, "\"thumbnails\":["));
    scrub_free(bytes);
    snprintf(path, sizeof path, "%s/strip/thumbnails.vtt", folder);
    CHECK(stat(path, &facts) == 0 && facts.st_size > 0);
    scrub_poster posters[3];
    int64_t all = frame_count(video);
    CHECK(scrub_find_posters(video, NULL, posters, 3, &count, &error) == SCRUB_OK && count >= 1 && count <= 3);
    for (size_t i = 0; i < count; i++) {
        CHECK(posters[i].frame >= 0 && posters[i].frame < all && posters[i].score > 0 && posters[i].score <= 1);
        CHECK(strlen(posters[i].blur_hash) > 6 && strlen(posters[i].thumb_hash) > 6 && !posters[i].is_blank);
    }
    CHECK(scrub_find_posters(video, NULL, posters, 0, &count, &error) == SCRUB_USAGE);
    scrub_close(video);
}

struct reading {
    scrub_video *video;
    int64_t first, count, step;
    int cancelled, wrong;
};

/* Reads frames until they end or the call is cancelled. */
static void *read_frames(void *context) {
    struct reading *reading = (struct reading *)context;
    scrub_picture picture = wanted(SCRUB_RGB8);
    scrub_error own = SCRUB_ERROR_INIT;
    for (int64_t i = 0; i < reading->count && !reading->cancelled; i++) {
        int status = scrub_read(reading->video, reading->first + i * reading->step, &picture, &own);
        if (status == SCRUB_OK && picture.data[0] == NULL) {
            make_room(&picture);
            status = scrub_read(reading->video, reading->first + i * reading->step, &picture, &own);
        }
        if (status == SCRUB_CANCELLED) reading->cancelled = 1;
        else if (status != SCRUB_OK || picture.verdict != SCRUB_EXACT) reading->wrong += 1;
    }
    empty(&picture);
    return NULL;
}

static void threads(const char *film) {
    /* Two threads on one video, forward and back, and a third on another one. */
    scrub_video *one = opened(film), *two = opened(film);
    int64_t count = frame_count(one) < 60 ? frame_count(one) : 60;
    struct reading readings[3] = { { one, 0, count, 1, 0, 0 }, { one, count - 1, count, -1, 0, 0 }, { two, 0, count, 1, 0, 0 } };
    pthread_t workers[3];
    for (int i = 0; i < 3; i++) CHECK(pthread_create(&workers[i], NULL, read_frames, &readings[i]) == 0);
    for (int i = 0; i < 3; i++) CHECK(pthread_join(workers[i], NULL) == 0 && readings[i].wrong == 0 && !readings[i].cancelled);
    scrub_close(one);
    scrub_close(two);
}

static void *read_all(void *context) {
    struct reading *reading = (struct reading *)context;
    scrub_error own = SCRUB_ERROR_INIT;
    int64_t *numbers = calloc((size_t)reading->count, sizeof *numbers);
    scrub_picture *pictures = calloc((size_t)reading->count, sizeof *pictures);
    for (int64_t i = 0; i < reading->count; i++) {
        numbers[i] = i;
        pictures[i] = wanted(SCRUB_RGB8);
    }
    /* Again and again, until the other thread ends it. */
    while (!reading->cancelled) {
        int status = scrub_read_many(reading->video, numbers, (size_t)reading->count, pictures, &own);
        if (status != SCRUB_OK) reading->cancelled = status == SCRUB_CANCELLED ? 1 : -1;
    }
    free(numbers);
    free(pictures);
    return NULL;
}

static void cancelling(const char *film) {
    scrub_video *video = opened(film);
    struct reading reading = { video, 0, frame_count(video), 1, 0, 0 };
    pthread_t worker;
    CHECK(pthread_create(&worker, NULL, read_all, &reading) == 0);
    /* A cancellation between two calls touches none: once is not enough. */
    while (!__atomic_load_n(&reading.cancelled, __ATOMIC_RELAXED)) {
        scrub_cancel(video);
        usleep(1000);
    }
    CHECK(pthread_join(worker, NULL) == 0 && reading.cancelled == 1);
    scrub_picture picture = wanted(SCRUB_RGB8);
    CHECK(scrub_read(video, 0, &picture, &error) == SCRUB_OK);
    reading.cancelled = 0;
    CHECK(pthread_create(&worker, NULL, read_all, &reading) == 0);
    usleep(20000);
    scrub_close(video);
    /* Ends with "cancelled", or between two calls with "closed". */
    CHECK(pthread_join(worker, NULL) == 0 && reading.cancelled != 0);
}

static void forking(const char *film) {
    scrub_video *video = opened(film);
    scrub_picture picture = wanted(SCRUB_RGB8);
    CHECK(scrub_read(video, 0, &picture, &error) == SCRUB_OK);
    pid_t child = fork();
    if (child == 0) {
        scrub_video *other = NULL;
        int status = scrub_read(video, 0, &picture, &error);
        int second = scrub_open(film, NULL, &other, &error);
        scrub_cancel(video);
        scrub_close(video);
        _exit(status == SCRUB_FORKED && second == SCRUB_FORKED && strstr(error.message, "forked") ? 0 : 1);
    }
    int ended = 0;
    CHECK(child > 0 && waitpid(child, &ended, 0) == child && WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    CHECK(scrub_read(video, 1, &picture, &error) == SCRUB_OK);
    scrub_close(video);
}

int main(int count, char **words) {
    if (count != 3) return SCRUB_USAGE;
    handles(words[1]);
    layouts(words[1]);
    many(words[1]);
    readers(words[1]);
    files(words[1], words[2]);
    threads(words[1]);
    cancelling(words[1]);
    forking(words[1]);
    quiet();
    printf("all of scrub.h is as it says\n");
    return 0;
}
