package import ScrubFileIO
internal import ScrubHLSPlaylists
package import ScrubBase
internal import ScrubIndex
public import ScrubMedia

// A presentation as one video, for everything that accepts a `VideoAsset`: sessions, thumbnails, posters.
extension HLSVideo {
    /// Returns the whole presentation as one video, synchronously. Its frames have the same numbers as in
    /// ``frame(at:)``.
    ///
    /// Each segment is opened once. For movie fragments, only the tables are read; for MPEG-TS, all bytes are read. To
    /// get frames at single times of a long presentation, use ``frame(at:)``, which fetches only the segments that it
    /// needs. The index is saved in the cache of ``HLSVideo/Options/openOptions`` if all segments have identifiers, as
    /// segments on the network do.
    ///
    /// - Returns: a video of the segments that the playlist had when it was opened.
    /// - Throws: `unavailable` for a presentation with discontinuities, gaps or several initialization sections, which
    ///   is not a single video: use ``frame(at:)`` instead. It also throws the errors of opening a `VideoAsset` and of
    ///   ``frame(at:)``.
    @available(*, noasync, message: "this blocks; in async code, use 'try await asset()'")
    public func asset() throws(ScrubError) -> VideoAsset {
        try VideoAsset(file: try mediaSource(), options: options.openOptions, rules: .init())
    }

    /// Returns the whole presentation as one video, without blocking the caller's thread. The call stops if its task is
    /// cancelled; later calls work as before.
    ///
    /// - Throws: the errors of the blocking method; `CancellationError` if the task was cancelled.
    public func asset() async throws -> VideoAsset {
        try await VideoAsset.open { () throws(ScrubError) in
            try VideoAsset(file: try self.mediaSource(), options: self.options.openOptions, rules: .init())
        }
    }

    /// Returns the bytes of the whole presentation. It stops if the work on this thread is cancelled.
    package func mediaSource() throws(ScrubError) -> MediaSource {
        guard timeline.runs.count == 1, timeline.stretch(of: 0).count == timeline.segments.count else {
            throw ScrubError(
                .unavailable, "is an HLS playlist with several parts, but a single video is needed: \(seams)",
                file: path, advice: "\(term: .playlistFrames)")
        }
        let library = SegmentOpener(access, base: address)
        do throws(ScrubError) {
            let source = try PresentationSource(
                library, timeline, access: access, openLimit: options.openOptions.limits.maximumOpenFileCount)
            return try MediaSource(
                access.cost == nil ? LocalPresentationSource(base: source) as any ByteSource : source, name: path)
        } catch {
            throw error.inFile(path)
        }
    }

    /// The places where segments do not continue one video.
    private var seams: String {
        if timeline.runs.count > 1 {
            return "it has \(PlainText.amount(timeline.runs.count - 1, "discontinuity", "discontinuities"))"
        }
        return timeline.segments.contains { $0.isGap }
            ? "some segments are missing (EXT-X-GAP)" : "its segments have different initialization sections"
    }
}
