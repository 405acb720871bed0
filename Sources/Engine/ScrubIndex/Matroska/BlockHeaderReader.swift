internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubMatroska
internal import ScrubBase

/// Facts that only the first bytes of a block's payload show: whether the block shows a picture (VP8, VP9), and whether
/// the stream changes its parameter sets later (H.264, HEVC, AV1).
struct BlockHeaderReader: Sendable {
    /// The number of bytes that are nearly always enough, and are read together with the block's header.
    static let size = 40
    /// The maximum number of bytes that are read if more is needed. Anything further is left to a full pass.
    private static let limit = 1 << 20

    /// The source from which more of a payload is read.
    var file: MediaSource
    private let parser: PictureParser
    private var watch: ParameterSetChangeDetector?

    /// - Returns: `nil` if the codec's extradata is invalid.
    init?(codec: VideoCodec, extradata: [UInt8], file: MediaSource) {
        self.file = file
        parser = PictureParser(codec: codec, extradata: extradata)
        switch codec {
        case .h264, .hevc, .av1:
            guard let watch = ParameterSetChangeDetector(codec: codec, extradata: extradata) else { return nil }
            self.watch = watch
        case .vp8, .vp9, .mpeg1, .mpeg2, .mpeg4, .other: break
        }
    }

    /// Whether the facts of a block no longer depend on blocks before it.
    var isSettled: Bool { watch?.isSettled ?? true }

    /// Returns whether a block's picture is decoded and never shown.
    ///
    /// The invisible flag is not used: libavformat ignores it, and muxers do not set it for hidden pictures.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if the header cannot be read or shows a change of parameter sets.
    mutating func isHidden(_ block: Block, head: Span<UInt8>) throws(ScrubError) -> Bool {
        switch parser.codec {
        case .h264, .hevc, .av1:
            try checkParameterSets(block, head)
            return false
        case .vp8:
            return try !picture(block, head).isShown
        case .vp9:
            if try picture(block, head).isShown { return false }
            if head.count == Int(block.size) { return true }
            return try !superframeShows(block)
        case .mpeg1, .mpeg2, .mpeg4, .other: return false
        }
    }

    private mutating func checkParameterSets(_ block: Block, _ head: Span<UInt8>) throws(ScrubError) {
        switch watch?.examine(sampleHead: head, isWhole: head.count == Int(block.size)) {
        case .nothingNew, nil: return
        case .changes: throw BlockHeaderReader.change
        case .needsMoreBytes: break
        }
        var bytes = try more(block, than: head.count)
        while true {
            switch watch?.examine(sampleHead: bytes.span, isWhole: bytes.count == Int(block.size)) {
            case .nothingNew, nil: return
            case .changes: throw BlockHeaderReader.change
            case .needsMoreBytes: bytes = try more(block, than: bytes.count)
            }
        }
    }

    private static var change: ScrubError { ScrubError(.unavailable, "parameter sets change within the stream") }

    /// Returns the facts of a block's first frame.
    private func picture(_ block: Block, _ head: Span<UInt8>) throws(ScrubError) -> CodedPicture {
        var bytes = unsafe head.withUnsafeBufferPointer { unsafe Array($0) }
        while true {
            switch parser.examine(sampleHead: bytes.span, isWhole: bytes.count == Int(block.size)) {
            case .picture(let picture) where picture.isUnderstood: return picture
            case .picture, .unreadable: throw ScrubError(.badData, "a block has no readable picture")
            case .needsMoreBytes: bytes = try more(block, than: bytes.count)
            }
        }
    }

    /// Returns a larger part of the beginning of a block.
    private func more(_ block: Block, than known: Int) throws(ScrubError) -> [UInt8] {
        let count = min(Int(block.size), max(512, known * 8))
        guard count > known, count <= BlockHeaderReader.limit else {
            throw ScrubError(.badData, "a block's headers are too long")
        }
        return try file.read(at: block.offset, count: count)
    }

    /// Returns whether one of the frames after a hidden first one is shown (VP9 bitstream specification, Annex B).
    private func superframeShows(_ block: Block) throws(ScrubError) -> Bool {
        let size = Int(block.size)
        let count = min(size, VP9Superframe.maximumIndexSize)
        let tail = try file.read(at: block.offset + Int64(size - count), count: count)
        var shownCount = 0
        for frame in VP9Superframe.frames(tail: tail.span, packetSize: size).dropFirst() {
            let head = try file.read(
                at: block.offset + Int64(frame.lowerBound), count: min(frame.count, BlockHeaderReader.size))
            guard case .picture(let picture) = parser.examine(sampleHead: head.span, isWhole: false),
                picture.isUnderstood
            else { throw ScrubError(.badData, "a superframe has no readable picture") }
            if picture.isShown { shownCount += 1 }
        }
        guard shownCount < 2 else { throw ScrubError(.unavailable, "a block shows several pictures") }
        return shownCount > 0
    }
}
