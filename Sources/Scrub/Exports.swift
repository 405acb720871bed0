// The parts that programs import: videos, frames and sessions, and the thumbnails made from them. Players are a
// separate product.
@_exported public import ScrubMedia
@_exported public import ScrubThumbnails
// Options and cost of the network, for videos that are opened by address.
@_exported public import ScrubSources
// Videos that consist of segments.
@_exported public import ScrubStreams
