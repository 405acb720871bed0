// The things that people import: videos, frames and sessions, and the thumbnails that are made of them. Players are a
// product of their own.
@_exported public import ScrubMedia
@_exported public import ScrubThumbnails
// Options and cost of the network, for videos that are opened by their address.
@_exported public import ScrubSources
// Videos made of segments.
@_exported public import ScrubStreams
