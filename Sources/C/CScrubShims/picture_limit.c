#include "CScrubShims.h"

#include <libavutil/imgutils.h>

// A picture's size is in the stream, and a small file can claim any. The message names the limit that was exceeded; it
// is variadic, so Swift cannot call it.

int scrub_check_picture_size(AVCodecContext *context, const AVFrame *frame, int64_t byte_limit, int64_t pixel_limit) {
    if ((int64_t)frame->width * frame->height > pixel_limit) {
        av_log(context, AV_LOG_ERROR,
               "a picture of %dx%d pixels has more than the limit pixels of %lld; if you trust it, raise MediaLimits.maximumPixelCount to %lld\n",
               frame->width, frame->height, (long long)pixel_limit, (long long)frame->width * frame->height);
        return SCRUB_ERROR_PICTURE_TOO_LARGE;
    }
    // A byte count that does not fit in an int is rejected by libavutil itself.
    int count = av_image_get_buffer_size(frame->format, frame->width, frame->height, 1);
    if (count >= 0 && count <= byte_limit)
        return 0;
    // Device memory is not counted here and does not belong to the process.
    if (count < 0 && context->hw_frames_ctx)
        return 0;
    av_log(context, AV_LOG_ERROR,
           "a picture of %dx%d pixels takes %d bytes, more than the limit picture-bytes of %lld; if you trust it, raise MediaLimits.maximumPictureByteCount to %d\n",
           frame->width, frame->height, count, (long long)byte_limit, count);
    return SCRUB_ERROR_PICTURE_TOO_LARGE;
}

// A decoder is opened for every stream whose header provides too little information. H.264's takes 1.5 MB, and a
// thousand such streams fit in a file of 700 KB. Streams beyond this number are not examined, as if they contained
// unknown data.
enum { most_examined = 32 };

static int is_examined(const AVStream *stream, int wanted, unsigned examined[2]) {
    enum AVMediaType type = stream->codecpar->codec_type;
    if (type != AVMEDIA_TYPE_VIDEO && type != AVMEDIA_TYPE_AUDIO)
        return 1;
    return examined[type == AVMEDIA_TYPE_AUDIO]++ < most_examined || stream->index == wanted;
}

int scrub_find_stream_info(AVFormatContext *input, int64_t pixel_limit, int wanted) {
    unsigned count = input->nb_streams;
    // Streams that appear later have no options; only the decoders of the first streams are checked here.
    AVDictionary **options = count ? av_calloc(count, sizeof *options) : NULL;
    // The other streams' own values, which are restored afterward.
    AVCodecParameters **hidden = count ? av_calloc(count, sizeof *hidden) : NULL;
    enum AVDiscard *discards = count ? av_calloc(count, sizeof *discards) : NULL;
    int status = count && (!options || !hidden || !discards) ? AVERROR(ENOMEM) : 0;
    unsigned examined[2] = {0, 0};
    for (unsigned i = 0; i < count && !status; i++) {
        AVStream *stream = input->streams[i];
        av_dict_set_int(&options[i], "max_pixels", pixel_limit, 0);
        if (is_examined(stream, wanted, examined))
            continue;
        AVCodecParameters *data = avcodec_parameters_alloc();
        if (!data) {
            status = AVERROR(ENOMEM);
            break;
        }
        data->codec_type = AVMEDIA_TYPE_DATA;
        hidden[i] = stream->codecpar;
        discards[i] = stream->discard;
        stream->codecpar = data;
        stream->discard = AVDISCARD_ALL;
    }
    if (!status)
        status = avformat_find_stream_info(input, options);
    for (unsigned i = 0; i < count; i++) {
        if (hidden && hidden[i]) {
            avcodec_parameters_free(&input->streams[i]->codecpar);
            input->streams[i]->codecpar = hidden[i];
            input->streams[i]->discard = discards[i];
        }
        if (options)
            av_dict_free(&options[i]);
    }
    av_free(discards);
    av_free(hidden);
    av_free(options);
    return status;
}
