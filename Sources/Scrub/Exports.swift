// What people import: videos, frames and sessions, players, and the thumbnails that are made of them.
@_exported public import ScrubMedia
@_exported public import ScrubPlayers
@_exported public import ScrubThumbnails
