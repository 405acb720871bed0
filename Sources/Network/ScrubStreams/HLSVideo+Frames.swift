public import ScrubBase
public import ScrubMedia

// Frames for asynchronous code.
extension HLSVideo {
    /// Returns the exact frame at a position, without blocking the caller's thread.
    ///
    /// For a time, the call fetches the segment that contains that time. It also fetches the start of the first
    /// segment, but only once, because times are counted from there. At a segment's edge, it also fetches the adjacent
    /// segment if that segment may contain the frame. A fraction also requires the last segment, which is fetched only
    /// once, because fractions depend on the duration. For a frame number, the frames of all earlier segments are
    /// counted. This reads only the tables of movie fragments, but all bytes of transport streams.
    ///
    /// Calls are processed in order. A call ends immediately if its task is cancelled, even while it is waiting for the
    /// network. Later calls work as before, and segments that have already been counted stay counted.
    ///
    /// - Parameter position: a position within the presentation.
    /// - Returns: the frame. Damage in a segment does not throw an error; the frame's verdict reports it.
    /// - Throws: ``ScrubError`` with `usage` for a frame number that does not exist, for a position outside the
    ///   presentation, and for a timecode, which playlists don't have. `badData` for a segment that contains no video,
    ///   that the playlist marks as a gap, or that cannot be decrypted with its key. `unavailable` for unsupported
    ///   encryption, `noInput` if the server does not have a segment, `inputOutput` if fetching fails or the system
    ///   cannot create a thread. `CancellationError` if the task was cancelled.
    public func frame(at position: FramePosition) async throws -> HLSVideo.Frame {
        try await frame(position, clamps: false)
    }

    /// Returns the frame at a position, like ``frame(at:)``. For a fraction or a time outside the presentation, it
    /// returns the first or the last frame, whichever is nearer.
    ///
    /// For a time beyond the end, the call also fetches the last segment.
    ///
    /// - Parameter position: any position.
    /// - Returns: the frame. ``HLSVideo/Frame/isClamped`` is true if the position was outside the presentation.
    /// - Throws: the errors of ``frame(at:)``, except those for a fraction or a time outside the presentation.
    public func frame(nearest position: FramePosition) async throws -> HLSVideo.Frame {
        try await frame(position, clamps: true)
    }

    /// Returns the frame at a position as pixels: 8-bit RGBA, upright and with square pixels unless the options say
    /// otherwise.
    ///
    /// Decoding and conversion run on the library's threads. The cost is that of ``frame(at:)`` plus that of
    /// ``FramePicture/pixels(_:alpha:options:)``.
    ///
    /// - Parameters:
    ///   - position: a position within the presentation.
    ///   - layout: the layout of a pixel in memory.
    ///   - alpha: whether colors are multiplied by alpha.
    ///   - options: size, geometry, dynamic range and background.
    /// - Throws: the errors of ``frame(at:)``; ``ScrubError`` with `badData` if the frame cannot be decoded, `usage`
    ///   for a width or height outside 1...16384.
    public func image(
        at position: FramePosition, layout: PixelLayout = .rgba8, alpha: AlphaMode = .straight,
        options: FramePicture.Options = .init()
    ) async throws -> HLSVideo.Image {
        let frame = try await frame(at: position)
        let picture = try frame.shownPicture(of: path)
        let pixels = try await BlockingWork.run(on: .shared) {
            try picture.pixels(layout, alpha: alpha, options: options)
        }
        return HLSVideo.Image(frame: frame, pixels: pixels)
    }

    /// Returns the duration of the presentation in seconds, from the first frame's start to the last frame's end, as of
    /// the last ``reload()``.
    ///
    /// The call requires the last segment, which is fetched only once, because the playlist's durations are not exact.
    /// Order and cancellation are the same as for ``frame(at:)``.
    ///
    /// - Throws: the errors of ``frame(at:)``.
    public func duration() async throws -> Rational {
        try await reader.run(of: self) { (reader: inout HLSVideo.Reader) throws(ScrubError) in
            try reader.duration()
        }
    }

    /// Reads the playlist again unless it is complete (`EXT-X-ENDLIST`). New segments are appended, and every frame
    /// keeps its number and its time, even if the playlist no longer lists its segment.
    ///
    /// The call fetches only the playlist, no segments. Until the playlist is complete, call this method about once per
    /// ``targetDuration``. Order and cancellation are the same as for ``frame(at:)``. `asset()` still returns the
    /// segments that the playlist had when it was opened.
    ///
    /// - Returns: the number of new segments.
    /// - Throws: ``ScrubError`` with `badData` if segments were added and removed between two calls, or were replaced.
    ///   It also throws the errors of opening the playlist. `CancellationError` if the task was cancelled.
    @discardableResult
    public func reload() async throws -> Int {
        // New segments that were found are reported, because the next call does not.
        try await reader.run(of: self, keepsResult: true) { (reader: inout HLSVideo.Reader) throws(ScrubError) in
            try reader.reload()
        }
    }

    /// The number of frames; `nil` until requests have counted the frames of every segment. Reading this property never
    /// fetches anything or waits.
    public var knownFrameCount: Int? { reader.known?.frameCount }

    private func frame(_ position: FramePosition, clamps: Bool) async throws -> HLSVideo.Frame {
        try await reader.run(of: self) { (reader: inout HLSVideo.Reader) throws(ScrubError) in
            try reader.frame(at: position, clamps: clamps)
        }
    }
}

extension HLSVideo.Frame {
    /// Returns the picture.
    ///
    /// - Parameter name: the playlist's name in errors.
    /// - Throws: `badData` with the reason if there is no picture.
    fileprivate func shownPicture(of name: String) throws(ScrubError) -> FramePicture {
        guard let picture else {
            let place: ScrubError.Place = number.map { ScrubError.Place.frame($0) } ?? .named("segment \(segment)")
            throw .undecodable(verdict, file: name, place: place)
        }
        return picture
    }
}
