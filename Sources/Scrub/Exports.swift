// What people import: videos, frames and sessions, and the thumbnails that are made of them.
@_exported public import ScrubMedia
@_exported public import ScrubThumbnails
