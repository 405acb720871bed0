#include "CScrubShims.h"

#include <errno.h>
#include <libavutil/mem.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    uint8_t *bytes;
    int64_t count;
    int64_t position;
} memory;

static int read_memory(void *opaque, uint8_t *out, int wanted) {
    memory *m = opaque;
    int64_t left = m->count - m->position;
    if (left <= 0)
        return AVERROR_EOF;
    if (wanted > left)
        wanted = (int)left;
    memcpy(out, m->bytes + m->position, (size_t)wanted);
    m->position += wanted;
    return wanted;
}

static int64_t seek_memory(void *opaque, int64_t offset, int whence) {
    memory *m = opaque;
    if (whence & AVSEEK_SIZE)
        return m->count;
    switch (whence & ~AVSEEK_FORCE) {
    case SEEK_SET: break;
    case SEEK_CUR: offset += m->position; break;
    case SEEK_END: offset += m->count; break;
    default: return AVERROR(EINVAL);
    }
    if (offset < 0 || offset > m->count)
        return AVERROR(EINVAL);
    return m->position = offset;
}

static void free_io(AVIOContext **io) {
    if (!*io)
        return;
    memory *m = (*io)->opaque;
    av_freep(&(*io)->buffer);
    avio_context_free(io);
    if (m) {
        av_free(m->bytes);
        av_free(m);
    }
}

int scrub_input_open_memory(const uint8_t *bytes, size_t count, const char *format, AVFormatContext **out) {
    const size_t block = 4096;
    *out = NULL;
    memory *m = av_mallocz(sizeof *m);
    uint8_t *copy = av_malloc(count ? count : 1);
    uint8_t *buffer = av_malloc(block);
    if (!m || !copy || !buffer)
        goto no_memory;
    memcpy(copy, bytes, count);
    m->bytes = copy;
    m->count = (int64_t)count;
    AVIOContext *io = avio_alloc_context(buffer, (int)block, 0, m, read_memory, NULL, seek_memory);
    if (!io)
        goto no_memory;
    AVFormatContext *input = avformat_alloc_context();
    if (!input) {
        free_io(&io);
        return AVERROR(ENOMEM);
    }
    input->pb = io;
    input->flags |= AVFMT_FLAG_CUSTOM_IO;
    int status = avformat_open_input(&input, NULL, format ? av_find_input_format(format) : NULL, NULL);
    if (status < 0) {
        // avformat_open_input has freed the context, but not an AVIO context of the caller's.
        free_io(&io);
        return status;
    }
    *out = input;
    return 0;
no_memory:
    av_free(m);
    av_free(copy);
    av_free(buffer);
    return AVERROR(ENOMEM);
}

void scrub_input_close(AVFormatContext **input) {
    if (!*input)
        return;
    AVIOContext *io = (*input)->flags & AVFMT_FLAG_CUSTOM_IO ? (*input)->pb : NULL;
    avformat_close_input(input);
    free_io(&io);
}
