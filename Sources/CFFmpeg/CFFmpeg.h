#ifndef SCRUB_CFFMPEG_H
#define SCRUB_CFFMPEG_H

#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/md5.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

// Names that Swift's importer cannot see (function-like macros, compound literals, casts). Each can go as
// soon as the importer takes the macro itself.
static const int64_t scrub_no_timestamp = AV_NOPTS_VALUE;
enum {
    scrub_error_eof = AVERROR_EOF,
    scrub_error_invalid_data = AVERROR_INVALIDDATA,
    scrub_error_decoder_not_found = AVERROR_DECODER_NOT_FOUND,
    scrub_error_demuxer_not_found = AVERROR_DEMUXER_NOT_FOUND,
    scrub_error_protocol_not_found = AVERROR_PROTOCOL_NOT_FOUND,
    scrub_error_patch_welcome = AVERROR_PATCHWELCOME,
};
static inline int scrub_error_from_errno(int e) { return AVERROR(e); }
static const enum AVPixelFormat scrub_rgb48 = AV_PIX_FMT_RGB48;
static const enum AVPixelFormat scrub_rgba64 = AV_PIX_FMT_RGBA64;
static const enum AVPixelFormat scrub_gray16 = AV_PIX_FMT_GRAY16;

// extended_data points into the frame itself, which Swift cannot say without copying it.
static inline void scrub_frame_point_to_own_planes(AVFrame *frame) { frame->extended_data = frame->data; }

// Deprecated since 59 because it is the only way now; until the field is gone a decoder with frame threads and a
// caller's allocator waits for its main thread at every picture without it.
static inline void scrub_allow_callbacks_on_workers(AVCodecContext *context) {
#if LIBAVCODEC_VERSION_MAJOR < 60
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    context->thread_safe_callbacks = 1;
#pragma GCC diagnostic pop
#else
    (void)context;
#endif
}

#endif
