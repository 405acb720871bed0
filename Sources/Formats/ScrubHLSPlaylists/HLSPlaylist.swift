package import ScrubBase

/// A playlist of either kind.
package enum HLSPlaylist: Hashable, Sendable {
    case master(MasterPlaylist)
    case media(MediaPlaylist)

    /// Parses a playlist. The kinds are distinguished by the tags that only one of them has.
    ///
    /// - Throws: the errors of ``MasterPlaylist/init(parsing:)`` and ``MediaPlaylist/init(parsing:)``.
    package init(parsing text: [UInt8]) throws(ScrubError) {
        var lines = try PlaylistLines(text)
        while let line = try lines.next() {
            switch line {
            case .tag("#EXT-X-STREAM-INF", _), .tag("#EXT-X-I-FRAME-STREAM-INF", _), .tag("#EXT-X-MEDIA", _):
                self = .master(try MasterPlaylist(parsing: text))
                return
            case .tag("#EXTINF", _), .tag("#EXT-X-TARGETDURATION", _), .tag("#EXT-X-MEDIA-SEQUENCE", _):
                self = .media(try MediaPlaylist(parsing: text))
                return
            case .tag, .uri: break
            }
        }
        throw ScrubError(
            .badData, "the playlist has no segments or renditions",
            advice: "HLS playlists have EXTINF or EXT-X-STREAM-INF lines; other playlists (plain M3U) are not supported"
        )
    }

    /// Whether bytes begin like a playlist.
    package static func isPlaylist(_ head: some Collection<UInt8>) -> Bool { PlaylistLines.isPlaylist(head) }
}
