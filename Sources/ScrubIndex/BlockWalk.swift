internal import Bitstream
internal import FileIO
internal import Matroska
internal import ScrubBase

/// The coded pictures of a track, as its block headers tell them.
struct BlockWalk {
    private(set) var pictures = CodedPictures()
    /// Whether the file ends before its segment does. Blocks that are not all there are left out.
    private(set) var isTruncated = false
    /// Durations that blocks give themselves, 0 for those that don't. Empty when none does.
    private var durations: [Int64] = []
    private let defaultDuration: Int64

    /// More than any film's frame, and few enough that sums of them stay far from the integers' end.
    private static let timeLimit = Int64(1) << 56

    /// Walks all clusters of a segment.
    init(
        _ segment: Segment, _ track: TrackEntry, isIntraOnly: Bool, file: MediaSource, heads: inout BlockHeads
    ) throws(ScrubError) {
        defaultDuration = Int64(clamping: (track.defaultDuration ?? 0) / segment.timestampScale)
        let base = isIntraOnly ? PictureFlags.verified.with(.instantaneous) : []
        var reader = BlockReader(segment, track: track.number, source: file, headSize: BlockHeads.size)
        while let block = try reader.next() {
            guard block.timestamp < BlockWalk.timeLimit, pictures.count < Int(Int32.max) else {
                throw ScrubError(.badData, "times or numbers of blocks that no film has")
            }
            var flags = block.isKey ? base.union(.key) : base
            if try heads.isHidden(block, head: reader.head) { flags.insert(.hidden) }
            pictures.offsets.append(block.offset)
            pictures.sizes.append(block.size)
            pictures.presentationTimes.append(block.timestamp)
            pictures.flags.append(flags)
            note(Int64(clamping: block.duration ?? 0))
        }
        isTruncated = reader.isTruncated
    }

    /// When the last picture ends.
    var end: Int64 {
        guard
            let last = pictures.presentationTimes.indices.max(by: {
                pictures.presentationTimes[$0] < pictures.presentationTimes[$1]
            })
        else { return 0 }
        return pictures.presentationTimes[last] + (duration(of: last) ?? 0)
    }

    private mutating func note(_ duration: Int64) {
        if durations.isEmpty, duration > 0 { durations = [Int64](repeating: 0, count: pictures.count - 1) }
        if !durations.isEmpty || duration > 0 { durations.append(duration) }
    }

    /// How long a picture stays by its block or the track; `nil` when neither says.
    func duration(of picture: Int) -> Int64? {
        let own = durations.isEmpty ? 0 : durations[picture]
        let found = own > 0 ? own : defaultDuration
        return found > 0 ? min(found, BlockWalk.timeLimit) : nil
    }
}
