// FFMS2 for the comparison: frames by number through its own index.
//
// usage: ffms2-driver FILE THREADS [INDEX]
//
//   THREADS   0 is the library's choice
//   INDEX     is read, or written when missing
#include <ffms.h>
#include <libavutil/md5.h>
#include <libavutil/mem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static char message[512];
static FFMS_ErrorInfo failure = {FFMS_ERROR_SUCCESS, FFMS_ERROR_SUCCESS, sizeof message, message};

static int64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void give_up(const char *what) {
    fprintf(stderr, "ffms2-driver: %s: %s\n", what, message);
    exit(1);
}

static FFMS_Index *make_index(const char *file) {
    FFMS_Indexer *indexer = FFMS_CreateIndexer(file, &failure);
    if (!indexer) give_up("opening");
    FFMS_Index *index = FFMS_DoIndexing2(indexer, FFMS_IEH_ABORT, &failure); // video tracks only, unless told
    if (!index) give_up("indexing");
    return index;
}

static void print_luma_digest(const FFMS_Frame *frame, struct AVMD5 *md5) {
    uint8_t digest[16];
    av_md5_init(md5);
    for (int row = 0; row < frame->EncodedHeight; row++) {
        av_md5_update(md5, frame->Data[0] + (ptrdiff_t)row * frame->Linesize[0], frame->EncodedWidth);
    }
    av_md5_final(md5, digest);
    for (int i = 0; i < 16; i++) printf("%02x", digest[i]);
}

int main(int count, char **words) {
    if (count < 3) {
        fprintf(stderr, "usage: ffms2-driver FILE THREADS [INDEX]\n");
        return 64;
    }
    const char *file = words[1], *saved = count > 3 ? words[3] : NULL;
    int threads = atoi(words[2]); // FFMS2 takes 0 and less as the number of processors

    int64_t start = nanoseconds(CLOCK_MONOTONIC);
    FFMS_Init(0, 0);
    FFMS_SetLogLevel(-8); // AV_LOG_QUIET
    FFMS_Index *index = saved ? FFMS_ReadIndex(saved, &failure) : NULL;
    if (!index) {
        index = make_index(file);
        if (saved && FFMS_WriteIndex(saved, index, &failure)) give_up("saving the index");
    }
    int track = FFMS_GetFirstTrackOfType(index, FFMS_TYPE_VIDEO, &failure);
    if (track < 0) give_up("no video");
    FFMS_VideoSource *source = FFMS_CreateVideoSource(file, track, index, threads, FFMS_SEEK_NORMAL, &failure);
    if (!source) give_up("the video");
    FFMS_Track *times = FFMS_GetTrackFromVideo(source);
    int frames = FFMS_GetVideoProperties(source)->NumFrames;
    printf("READY %d %lld\n", frames, (long long)(nanoseconds(CLOCK_MONOTONIC) - start));
    fflush(stdout);

    struct AVMD5 *md5 = av_md5_alloc();
    char line[128];
    int number;
    while (fgets(line, sizeof line, stdin) && sscanf(line, "SEEK %d", &number) == 1) {
        start = nanoseconds(CLOCK_MONOTONIC);
        const FFMS_Frame *frame = FFMS_GetFrame(source, number, &failure);
        int64_t taken = nanoseconds(CLOCK_MONOTONIC) - start;
        if (frame) {
            start = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
            printf("FRAME %d %lld ", number, (long long)FFMS_GetFrameInfo(times, number)->PTS);
            print_luma_digest(frame, md5);
            int64_t checking = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start;
            printf(" %lld %lld\n", (long long)taken, (long long)checking);
        } else {
            printf("ERROR %d %s\n", number, message);
        }
        fflush(stdout);
    }
    av_free(md5);
    FFMS_DestroyVideoSource(source);
    FFMS_DestroyIndex(index);
    FFMS_Deinit();
    return 0;
}
