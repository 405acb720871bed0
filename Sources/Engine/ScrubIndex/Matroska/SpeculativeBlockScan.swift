internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubMatroska
internal import ScrubBase
internal import Synchronization

/// Reads the blocks of a segment's only video track on its own thread. It relies on the segment's own headers while
/// libavformat is loaded and reads the header.
///
/// This is speculative: libavformat's description of the stream decides. If both agree, the result is used; otherwise,
/// it is dropped.
final class SpeculativeBlockScan: Sendable {
    private let track: TrackEntry
    private let codec: VideoCodec
    private let thread: DedicatedThread
    private let found: Locked<Result<BlockScan, ScrubError>?>
    private let hasEnded = Atomic(false)

    /// - Returns: `nil` if it is unclear which track is the video or how it is read, or if reading is short.
    init?(_ segment: MatroskaSegment, requestedStream: Int?, file: MediaSource, pace: BlockScan.Pace) {
        let end = min(file.byteCount, segment.end ?? .max)
        guard pace.threads > 1, end - segment.firstCluster >= 2 * pace.stretch,
            let track = SpeculativeBlockScan.track(of: segment, requestedStream),
            let codec = track.codecID.flatMap({ MatroskaIndexer.codecs[$0] }).map({ VideoCodec(named: $0) }),
            codec != .other, !PictureParser(codec: codec, extradata: track.codecPrivate).mayHoldFields,
            let heads = BlockHeaderReader(codec: codec, extradata: track.codecPrivate, file: file)
        else { return nil }
        let found = Locked<Result<BlockScan, ScrubError>?>(nil)
        do throws(ScrubError) {
            thread = try DedicatedThread {
                let result: Result<BlockScan, ScrubError>
                do throws(ScrubError) {
                    result = .success(
                        try BlockScan(segment, track, isIntraOnly: false, file: file, heads: heads, pace: pace))
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

    /// Returns the only video track, if no other stream was requested.
    private static func track(of segment: MatroskaSegment, _ requestedStream: Int?) -> TrackEntry? {
        let tracks = MatroskaIndexer.streamTracks(segment)
        let videos = tracks.indices.filter { tracks[$0].kind == .video }
        guard videos.count == 1, (requestedStream ?? videos[0]) == videos[0] else { return nil }
        let track = tracks[videos[0]]
        return track.hasContentEncodings || segment.tracks.count != tracks.count ? nil : track
    }

    /// Returns the result for a track if it is the one that was read; otherwise, `nil`.
    ///
    /// - Throws: the error of reading.
    func walk(
        of track: TrackEntry, _ codec: VideoCodec, _ extradata: [UInt8], isIntraOnly: Bool
    ) throws(ScrubError) -> BlockScan? {
        guard track == self.track, codec == self.codec, extradata == track.codecPrivate, !isIntraOnly else {
            return nil
        }
        waitForEnd()
        // No other copy of its columns exists: they can become the index's.
        return try found.withLock { $0.take() }?.get()
    }

    private func waitForEnd() {
        if !hasEnded.exchange(true, ordering: .relaxed) { thread.join() }
    }
}
