#ifndef SCRUB_CFFMPEG_H
#define SCRUB_CFFMPEG_H

#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libavutil/aes.h>
#include <libavutil/avutil.h>
#include <libavutil/cpu.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/md5.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

// Names that Swift's importer cannot see (function-like macros, compound literals, casts). Each one can be removed as
// soon as the importer supports the macro itself.
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

// extended_data points into the frame itself, which Swift cannot express without copying it.
static inline void scrub_frame_point_to_own_planes(AVFrame *frame) { frame->extended_data = frame->data; }

// Flags since libavutil 58.7 (FFmpeg 6.1), separate fields before.
static inline int scrub_frame_is_key(const AVFrame *frame) {
#ifdef AV_FRAME_FLAG_KEY
    return (frame->flags & AV_FRAME_FLAG_KEY) != 0;
#else
    return frame->key_frame != 0;
#endif
}
static inline int scrub_frame_is_interlaced(const AVFrame *frame) {
#ifdef AV_FRAME_FLAG_INTERLACED
    return (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
    return frame->interlaced_frame != 0;
#endif
}
static inline int scrub_frame_is_top_field_first(const AVFrame *frame) {
#ifdef AV_FRAME_FLAG_TOP_FIELD_FIRST
    return (frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
#else
    return frame->top_field_first != 0;
#endif
}
static inline void scrub_frame_set_kind(AVFrame *frame, int is_key, int is_interlaced, int is_top_first) {
#ifdef AV_FRAME_FLAG_INTERLACED
    frame->flags &= ~(AV_FRAME_FLAG_KEY | AV_FRAME_FLAG_INTERLACED | AV_FRAME_FLAG_TOP_FIELD_FIRST);
    frame->flags |= (is_key ? AV_FRAME_FLAG_KEY : 0) | (is_interlaced ? AV_FRAME_FLAG_INTERLACED : 0) |
        (is_top_first ? AV_FRAME_FLAG_TOP_FIELD_FIRST : 0);
#else
    frame->key_frame = is_key;
    frame->interlaced_frame = is_interlaced;
    frame->top_field_first = is_top_first;
#endif
}
static inline void scrub_frame_set_progressive(AVFrame *frame) {
#ifdef AV_FRAME_FLAG_INTERLACED
    frame->flags &= ~AV_FRAME_FLAG_INTERLACED;
#else
    frame->interlaced_frame = 0;
#endif
}

// Moved from the stream to its parameters with libavformat 60.15 (FFmpeg 6.1).
static inline int scrub_stream_side_data_count(const AVStream *stream) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
    return stream->codecpar->nb_coded_side_data;
#else
    return stream->nb_side_data;
#endif
}
static inline AVPacketSideData scrub_stream_side_data(const AVStream *stream, int place) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
    return stream->codecpar->coded_side_data[place];
#else
    return stream->side_data[place];
#endif
}

// The cropping specified by a container: stream side data since libavcodec 61.10 (FFmpeg 7.1), which the ffmpeg command
// then applies. -1 in earlier versions.
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 10, 100)
enum { scrub_side_data_cropping = AV_PKT_DATA_FRAME_CROPPING };
#else
enum { scrub_side_data_cropping = -1 };
#endif

// Since 7.1, ffmpeg's own decode crops to the exact column. Earlier versions kept columns at the left if their width
// was not a multiple of the buffers' alignment. Exact means the picture that ffmpeg produces.
static inline void scrub_crop_like_ffmpeg(AVCodecContext *context) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 19, 100)
    context->flags |= AV_CODEC_FLAG_UNALIGNED;
#else
    (void)context;
#endif
}

// Deprecated since 59 because it has become the only mode. Until the field is removed, a decoder with frame threads and
// a caller's allocator waits for its main thread at every picture unless it is set.
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
