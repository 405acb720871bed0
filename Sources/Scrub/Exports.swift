// What people import: videos, frames and sessions, players, and the thumbnails that are made of them.
@_exported public import ScrubMedia
@_exported public import ScrubPlayers
@_exported public import ScrubThumbnails
// Options and cost of the network, for videos that are opened by their address.
@_exported public import ScrubSources
// Videos made of segments.
@_exported public import ScrubStreams
