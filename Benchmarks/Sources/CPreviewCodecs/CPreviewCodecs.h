#include <turbojpeg.h>
#include <webp/decode.h>
#include <webp/encode.h>
