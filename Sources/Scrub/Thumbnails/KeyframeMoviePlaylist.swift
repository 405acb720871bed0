internal import Storyboards

extension HLSIFramePlaylist {
    /// The playlist of a movie of key pictures.
    ///
    /// - Parameter path: the movie's path from the playlist's folder.
    init(_ movie: KeyframeMovieReport, path: String) throws(ScrubError) {
        try self.init(
            path: path, initialization: movie.initialization,
            segments: movie.entries.map { Segment(duration: $0.duration, byteRange: $0.byteRange) })
    }
}

extension KeyframeMovieReport {
    /// The movie's HLS I-frame playlist (RFC 8216, 4.3.3.6): each key picture as the byte range of its fragment.
    ///
    /// - Parameter path: the movie's path from the playlist's folder.
    /// - Throws: `usage` for a path that cannot stand in a playlist.
    public func iFramePlaylist(path: String) throws(ScrubError) -> String {
        try HLSIFramePlaylist(self, path: path).text
    }
}
