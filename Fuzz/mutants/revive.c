// The oracle for streams whose decoder is stuck or goes on with what is left of damage: linear decode with one thread,
// and the MD5 of each picture on a line.
//
// dav1d (1.0, src/obu.c) keeps the header of a command that shows an empty slot. It fails on it again at each temporal
// delimiter that comes, also before key frames. So packets that fail and hold nothing but such a command are left out.
// The file is decoded again without them, until all are gone. Everything else is as in ffmpeg's decode.
//
// H.264 with broken macroblocks: libavcodec (h264_cavlc.c, h264_cabac.c) leaves coefficients of such a macroblock where
// the next one's are put, in the next picture too, an IDR picture or not. At the key picture behind a packet that has
// an error another decoder goes on.
//
// usage: revive FILE STREAM
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/md5.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, LONGEST_COMMAND = 16 };

static AVPacket *packets[MOST];
static int left_out[MOST];
static int count;
static int errors;

static void note_error(void *source, int level, const char *format, va_list arguments) {
    if (level <= AV_LOG_ERROR) errors++;
}

static void note(const AVFrame *frame, FILE *text) {
    int size = av_image_get_buffer_size(frame->format, frame->width, frame->height, 1);
    if (size <= 0) return;
    uint8_t *bytes = malloc(size), sum[16];
    if (!bytes) abort();
    av_image_copy_to_buffer(bytes, size, (const uint8_t *const *)frame->data, frame->linesize, frame->format,
                            frame->width, frame->height, 1);
    av_md5_sum(sum, bytes, size);
    free(bytes);
    for (int i = 0; i < 16; i++) fprintf(text, "%02x", sum[i]);
    fputc('\n', text);
}

static AVCodecContext *opened(const AVCodecParameters *parameters) {
    const AVCodec *codec = avcodec_find_decoder(parameters->codec_id);
    AVCodecContext *context = codec ? avcodec_alloc_context3(codec) : NULL;
    if (!context) exit(69);
    avcodec_parameters_to_context(context, parameters);
    context->thread_count = 1;
    if (avcodec_open2(context, codec, NULL) < 0) exit(69);
    return context;
}

// Decodes all; the first packet to leave out, or -1.
static int decode(const AVCodecParameters *parameters, FILE *text) {
    AVCodecContext *context = opened(parameters);
    AVFrame *frame = av_frame_alloc();
    if (!frame) exit(69);
    int stuck = -1;
    errors = 0;
    for (int i = 0; i <= count && stuck < 0; i++) {
        if (i < count && left_out[i]) continue;
        if (parameters->codec_id == AV_CODEC_ID_H264 && i < count && packets[i]->flags & AV_PKT_FLAG_KEY && errors) {
            avcodec_send_packet(context, NULL);
            while (avcodec_receive_frame(context, frame) >= 0) note(frame, text);
            avcodec_free_context(&context);
            context = opened(parameters);
            errors = 0;
        }
        int status = avcodec_send_packet(context, i < count ? packets[i] : NULL), failed = status < 0;
        while ((status = avcodec_receive_frame(context, frame)) >= 0) note(frame, text);
        failed |= status != AVERROR(EAGAIN) && status != AVERROR_EOF;
        if (failed && i < count && packets[i]->size <= LONGEST_COMMAND) stuck = i;
    }
    av_frame_free(&frame);
    avcodec_free_context(&context);
    return stuck;
}

int main(int argc, char **argv) {
    av_log_set_callback(note_error);
    AVFormatContext *input = NULL;
    if (argc != 3 || avformat_open_input(&input, argv[1], NULL, NULL) < 0) return 65;
    avformat_find_stream_info(input, NULL);
    int stream = atoi(argv[2]);
    if (stream < 0 || stream >= (int)input->nb_streams) return 65;
    AVPacket *packet = av_packet_alloc();
    if (!packet) return 69;
    while (count < MOST && av_read_frame(input, packet) >= 0) {
        if (packet->stream_index == stream && !(packets[count++] = av_packet_clone(packet))) return 69;
        av_packet_unref(packet);
    }
    for (;;) {
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        if (!file) return 69;
        int stuck = decode(input->streams[stream]->codecpar, file);
        fclose(file);
        if (stuck < 0) return fwrite(text, 1, size, stdout) == size ? 0 : 74;
        left_out[stuck] = 1;
        free(text);
    }
}
