#include "CScrubShims.h"

#include <errno.h>
#include <libavutil/mem.h>
#include <stdbool.h>
#include <string.h>

// The size of libavformat's file reads (IO_BUFFER_SIZE in its aviobuf.c).
enum { usual_block = 32768 };

/// Formats whose "file" is a list of other files or a session description, by libavformat's names.
static bool is_list(const char *name) {
    static const char *const lists[] = {"hls", "applehttp", "concat", "dash", "imf", "sdp", "vobsub", "webm_dash_manifest"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strcmp(name, lists[i]) == 0)
            return true;
    return false;
}

static int refuse_to_open(AVFormatContext *input, AVIOContext **out, const char *url, int flags, AVDictionary **options) {
    (void)url, (void)flags, (void)options;
    *out = NULL;
    if (input->opaque)
        *(bool *)input->opaque = true;
    return AVERROR(EPERM);
}

int scrub_input_open(scrub_source source, const char *name, const char *format_name, int max_streams,
                     AVFormatContext **out) {
    *out = NULL;
    const int block = source.block > 0 ? source.block : usual_block;
    uint8_t *buffer = av_malloc(block);
    AVIOContext *io = buffer ? avio_alloc_context(buffer, block, 0, source.opaque, source.read, NULL, source.seek) : NULL;
    AVFormatContext *input = avformat_alloc_context();
    AVDictionary *options = NULL;
    bool names_others = false;
    int status = AVERROR(ENOMEM);
    if (!io || !input || av_dict_set(&options, "protocol_whitelist", "none", 0) < 0)
        goto failed;
    // Probing without an opened input also reads twice, because the buffer is rewound.
    const AVInputFormat *format = NULL;
    if (format_name) {
        format = av_find_input_format(format_name);
        status = format ? 0 : AVERROR_DEMUXER_NOT_FOUND;
    } else {
        status = av_probe_input_buffer2(io, &format, name, NULL, 0, 0);
    }
    if (status < 0)
        goto failed;
    if (is_list(format->name)) {
        status = SCRUB_ERROR_NAMES_OTHER_FILES;
        goto failed;
    }
    input->pb = io;
    input->max_streams = max_streams;
    input->interrupt_callback = (AVIOInterruptCB){source.is_interrupted, source.opaque};
    input->flags |= AVFMT_FLAG_CUSTOM_IO;
    input->io_open = refuse_to_open;
    input->opaque = &names_others;
    status = avformat_open_input(&input, name, format, &options);
    if (status < 0) {
        // The context is freed in that case, but not the caller's AVIO context.
        input = NULL;
        if (names_others)
            status = SCRUB_ERROR_NAMES_OTHER_FILES;
        goto failed;
    }
    input->opaque = NULL;
    av_dict_free(&options);
    *out = input;
    return 0;
failed:
    av_dict_free(&options);
    avformat_free_context(input);
    if (io)
        av_freep(&io->buffer);
    else
        av_free(buffer);
    avio_context_free(&io);
    return status;
}

void scrub_input_close(AVFormatContext **input) {
    if (!*input)
        return;
    AVIOContext *io = (*input)->pb;
    avformat_close_input(input);
    if (io)
        av_freep(&io->buffer);
    avio_context_free(&io);
}
