internal import ScrubStoryboards

extension Storyboard.HLSIFramePlaylist {
    /// Creates the playlist of a movie of key pictures.
    ///
    /// - Parameter path: the movie's path relative to the playlist's folder.
    init(_ movie: ThumbnailSets.KeyframeMovie, path: String) throws(ScrubError) {
        try self.init(
            path: path, initialization: movie.initialization,
            segments: movie.entries.map { Segment(duration: $0.duration, byteRange: $0.byteRange) })
    }
}

extension ThumbnailSets.KeyframeMovie {
    /// Returns the movie's HLS I-frame playlist (RFC 8216, 4.3.3.6). Each key picture is listed as the byte range of
    /// its fragment.
    ///
    /// - Parameter path: the movie's path relative to the playlist's folder.
    /// - Throws: `usage` if the path has characters that a playlist cannot contain.
    public func iFramePlaylist(path: String) throws(ScrubError) -> String {
        try Storyboard.HLSIFramePlaylist(self, path: path).text
    }
}

extension Storyboard.DASHKeyPictures {
    /// Creates the trick mode set of a movie of key pictures.
    ///
    /// A decoder for the video can decode as many pictures per second as the video has. Together with the shortest time
    /// between key pictures, this determines the rate at which they can be played.
    ///
    /// - Parameters:
    ///   - path: the movie's path relative to the presentation's folder.
    ///   - frameCount: the video's number of frames.
    ///   - duration: the video's duration in seconds.
    init(_ movie: ThumbnailSets.KeyframeMovie, path: String, frameCount: Int, duration: Rational) throws(ScrubError) {
        func units(_ time: Rational) throws(ScrubError) -> Int {
            guard let units = time.multiplied(by: Rational(Int64(movie.timescale))), units.denominator == 1 else {
                throw ScrubError(.badData, "\(time) s is not a multiple of the time unit, 1/\(movie.timescale) s")
            }
            return Int(units.numerator)
        }
        var segments: [Segment] = []
        for entry in movie.entries {
            segments.append(
                Segment(
                    time: try units(entry.time), duration: try units(entry.duration), byteRange: entry.byteRange))
        }
        let shortest = movie.entries.dropLast().map(\.duration).min() ?? duration
        let rate = Rational(Int64(frameCount)).divided(by: duration)?.multiplied(by: shortest)
        try self.init(
            path: path, codecs: movie.codec, width: movie.width, height: movie.height,
            maxPlayoutRate: max(1, Int(clamping: rate?.scaledDown(1) ?? 1)), timescale: movie.timescale,
            initialization: movie.initialization, segments: segments)
    }
}
