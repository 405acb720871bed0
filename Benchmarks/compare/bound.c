// What libavcodec itself takes for exact frames of an H.264 MP4, without a program around it: the bound of random
// seeks.
//
//   gcc -O2 -o bound Benchmarks/compare/bound.c -lavformat -lavcodec -lavutil
//   echo 400 1799 | ./bound FILE THREADS least|all
//
// All packets are in memory before the first frame is asked for. From the last key picture on, `least` gives the
// decoder every reference picture and the target, which is Scrub's plan, and drains it. `all` gives every picture until
// the target is out, as players do. One decoder, flushed between frames, in libavcodec's own memory. Says for each
// frame whether it came out, milliseconds, and pictures given.
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Whether the first slice behind a length of four bytes is of a reference picture.
static int is_reference(const AVPacket *packet) {
    for (size_t at = 0; at + 5 < (size_t)packet->size;) {
        const uint8_t *unit = packet->data + at;
        int type = unit[4] & 31;
        if (type == 1 || type == 5) return (unit[4] & 0x60) != 0;
        at += 4 + ((size_t)unit[0] << 24 | unit[1] << 16 | unit[2] << 8 | unit[3]);
    }
    return 1;
}

// Takes pictures out; whether the one with a time was among them.
static int take(AVCodecContext *decoder, AVFrame *frame, int64_t time) {
    int found = 0;
    while (!found && avcodec_receive_frame(decoder, frame) >= 0) {
        found = frame->pts == time;
        av_frame_unref(frame);
    }
    return found;
}

int main(int count, char **words) {
    AVFormatContext *file = NULL;
    if (count != 4 || avformat_open_input(&file, words[1], NULL, NULL) < 0) return 1;
    avformat_find_stream_info(file, NULL);
    int stream = av_find_best_stream(file, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0);
    if (stream < 0) return 1;
    AVPacket **packets = NULL, *packet = av_packet_alloc();
    int pictures = 0;
    while (av_read_frame(file, packet) >= 0) {
        if (packet->stream_index == stream) {
            packets = realloc(packets, sizeof *packets * (pictures + 1));
            packets[pictures++] = av_packet_clone(packet);
        }
        av_packet_unref(packet);
    }
    int64_t *times = malloc(sizeof *times * pictures);
    for (int i = 0; i < pictures; i++) times[i] = packets[i]->pts;
    qsort(times, pictures, sizeof *times, compare);

    AVCodecParameters *parameters = file->streams[stream]->codecpar;
    const AVCodec *codec = avcodec_find_decoder(parameters->codec_id);
    AVCodecContext *decoder = avcodec_alloc_context3(codec);
    avcodec_parameters_to_context(decoder, parameters);
    decoder->thread_count = atoi(words[2]);
    decoder->thread_type = FF_THREAD_FRAME;
    if (avcodec_open2(decoder, codec, NULL) < 0) return 1;
    int is_least = strcmp(words[3], "least") == 0, number;
    AVFrame *frame = av_frame_alloc();
    while (scanf("%d", &number) == 1 && number >= 0 && number < pictures) {
        int target = 0, found = 0, given = 0;
        while (packets[target]->pts != times[number]) target++;
        int first = target;
        while (first > 0 && !(packets[first]->flags & AV_PKT_FLAG_KEY && packets[first]->pts <= times[number])) first--;
        double start = milliseconds();
        avcodec_flush_buffers(decoder);
        for (int i = first; i < pictures && !found && !(is_least && i > target); i++) {
            if (is_least && i != target && !is_reference(packets[i])) continue;
            given++;
            while (avcodec_send_packet(decoder, packets[i]) == AVERROR(EAGAIN)) {
                found |= take(decoder, frame, times[number]);
            }
            if (!found) found = take(decoder, frame, times[number]);
        }
        if (!found) {
            avcodec_send_packet(decoder, NULL);
            found = take(decoder, frame, times[number]);
        }
        printf("FRAME %d %d %.3f %d\n", number, found, milliseconds() - start, given);
        fflush(stdout);
    }
    return 0;
}
