// The parts that programs import: videos, frames, pictures and sessions. Thumbnails and players are products of their
// own.
@_exported public import ScrubMedia
// Options and cost of the network, for videos that are opened by address.
@_exported public import ScrubSources
// Videos that consist of segments.
@_exported public import ScrubStreams
