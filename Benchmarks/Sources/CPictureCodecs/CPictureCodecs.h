#include <libavcodec/avcodec.h>
#include <libavutil/frame.h>
