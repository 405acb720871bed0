#include "CScrubShims.h"

#include <libavutil/imgutils.h>

// A picture's size stands in the stream, and a small file can claim any. The message says which limit refused it; it is
// variadic, which Swift cannot call.

int scrub_check_picture_size(AVCodecContext *context, const AVFrame *frame, int64_t byte_limit, int64_t pixel_limit) {
    if ((int64_t)frame->width * frame->height > pixel_limit) {
        av_log(context, AV_LOG_ERROR,
               "a picture of %dx%d pixels has more than the limit pixels of %lld; if you trust it, --limit pixels=%lld\n",
               frame->width, frame->height, (long long)pixel_limit, (long long)frame->width * frame->height);
        return SCRUB_ERROR_PICTURE_TOO_LARGE;
    }
    // A count of bytes that is no int is refused by libavutil itself.
    int count = av_image_get_buffer_size(frame->format, frame->width, frame->height, 1);
    if (count >= 0 && count <= byte_limit)
        return 0;
    // Device memory has no count here, and is not the process's.
    if (count < 0 && context->hw_frames_ctx)
        return 0;
    av_log(context, AV_LOG_ERROR,
           "a picture of %dx%d pixels takes %d bytes, more than the limit picture-bytes of %lld; if you trust it, --limit picture-bytes=%d\n",
           frame->width, frame->height, count, (long long)byte_limit, count);
    return SCRUB_ERROR_PICTURE_TOO_LARGE;
}

int scrub_find_stream_info(AVFormatContext *input, int64_t pixel_limit) {
    unsigned count = input->nb_streams;
    // Streams that turn up on the way have no options; only the first ones' decoders are asked here.
    AVDictionary **options = count ? av_calloc(count, sizeof *options) : NULL;
    if (count && !options)
        return AVERROR(ENOMEM);
    for (unsigned i = 0; i < count; i++)
        av_dict_set_int(&options[i], "max_pixels", pixel_limit, 0);
    int status = avformat_find_stream_info(input, options);
    for (unsigned i = 0; i < count; i++)
        av_dict_free(&options[i]);
    av_free(options);
    return status;
}
