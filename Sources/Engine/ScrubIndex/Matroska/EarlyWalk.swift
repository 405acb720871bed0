internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubMatroska
internal import ScrubBase
internal import Synchronization

/// The walk of a segment's only video track, on a thread of its own. It begins by the segment's own words, while
/// libavformat is loaded and looks at the head.
///
/// A guess: what libavformat says of the stream decides. If both say the same the walk is the very one that would
/// follow; else it is dropped.
final class EarlyWalk: Sendable {
    private let track: TrackEntry
    private let codec: VideoCodec
    private let thread: DedicatedThread
    private let found: Locked<Result<BlockWalk, ScrubError>?>
    private let hasEnded = Atomic(false)

    /// - Returns: `nil` where it is unclear which track is the film or how it is walked, or where the walk is short.
    init?(_ segment: MatroskaSegment, requestedStream: Int?, file: MediaSource, pace: BlockWalk.Pace) {
        let end = min(file.byteCount, segment.end ?? .max)
        guard pace.threads > 1, end - segment.firstCluster >= 2 * pace.stretch,
            let track = EarlyWalk.track(of: segment, requestedStream),
            let codec = track.codecID.flatMap({ MatroskaIndexer.codecs[$0] }).map({ VideoCodec(named: $0) }),
            codec != .other, !PictureParser(codec: codec, extradata: track.codecPrivate).mayHoldFields,
            let heads = BlockHeads(codec: codec, extradata: track.codecPrivate, file: file)
        else { return nil }
        let found = Locked<Result<BlockWalk, ScrubError>?>(nil)
        do throws(ScrubError) {
            thread = try DedicatedThread {
                let result: Result<BlockWalk, ScrubError>
                do throws(ScrubError) {
                    result = .success(
                        try BlockWalk(segment, track, isIntraOnly: false, file: file, heads: heads, pace: pace))
                } catch {
                    result = .failure(error)
                }
                found.withLock { $0 = result }
            }
        } catch {
            return nil
        }
        (self.track, self.codec, self.found) = (track, codec, found)
    }

    deinit { waitForEnd() }

    /// Returns the only video track, if no other stream was asked for.
    private static func track(of segment: MatroskaSegment, _ requestedStream: Int?) -> TrackEntry? {
        let tracks = MatroskaIndexer.streamTracks(segment)
        let videos = tracks.indices.filter { tracks[$0].kind == .video }
        guard videos.count == 1, (requestedStream ?? videos[0]) == videos[0] else { return nil }
        let track = tracks[videos[0]]
        return track.hasContentEncodings || segment.tracks.count != tracks.count ? nil : track
    }

    /// Returns the walk of a track, when it is that one; else `nil`.
    ///
    /// - Throws: the walk's own error.
    func walk(
        of track: TrackEntry, _ codec: VideoCodec, _ extradata: [UInt8], isIntraOnly: Bool
    ) throws(ScrubError) -> BlockWalk? {
        guard track == self.track, codec == self.codec, extradata == track.codecPrivate, !isIntraOnly else {
            return nil
        }
        waitForEnd()
        // Nothing else keeps its columns: they can become the index's.
        return try found.withLock { $0.take() }?.get()
    }

    private func waitForEnd() {
        if !hasEnded.exchange(true, ordering: .relaxed) { thread.join() }
    }
}
