/// Reads VP9 packets in decoding order: single frames and superframes (VP9 bitstream specification, Annex B).
struct VP9PictureParser: Sendable {
    /// Does nothing, because no state is kept between packets.
    mutating func reset() {}

    /// Reads one packet; `isWhole` is false if only its first bytes are given.
    func parse(_ packet: Span<UInt8>, isWhole: Bool) -> CodedPicture {
        // The index is at the packet's end, so a head shows only the first frame.
        let frames = isWhole ? VP9PictureParser.frames(in: packet) : [0..<packet.count]
        var picture = CodedPicture()
        var types: [VP9FrameHeader] = []
        for range in frames where !range.isEmpty {
            var reader = BitReader(packet.extracting(range))
            guard let header = try? VP9FrameHeader(&reader) else {
                picture.isUnderstood = false
                continue
            }
            types.append(header)
        }
        guard let first = types.first, let range = frames.first, !range.isEmpty else { return .notUnderstood }
        let coded = types.filter { !$0.showsExisting }
        picture.pictureCount = types.count
        picture.shownCount = types.count { $0.isShown }
        picture.isShown = picture.shownCount > 0 || !picture.isUnderstood
        picture.isIntra = !coded.isEmpty && coded.allSatisfy(\.isIntra)
        picture.pictureType = coded.isEmpty ? .unknown : picture.isIntra ? .i : .p
        // A key frame refreshes every slot and resets the probabilities (7.2), whether or not it is shown. An
        // intra-only frame leaves earlier slots and contexts unchanged.
        if first.isKey && picture.isUnderstood {
            picture.randomAccess = .instantaneous
            picture.startsSequence = true
        }
        return picture
    }

    /// Returns the ranges of the frames in a packet.
    private static func frames(in packet: Span<UInt8>) -> [Range<Int>] {
        let tail = min(packet.count, VP9Superframe.maximumIndexSize)
        return VP9Superframe.frames(
            tail: packet.extracting(packet.count - tail..<packet.count), packetSize: packet.count)
    }
}

/// A VP9 uncompressed header up to the frame's kind (6.2).
struct VP9FrameHeader: Sendable {
    /// `show_existing_frame`: no frame is coded in that case.
    let showsExisting: Bool
    let isKey: Bool
    let isShown: Bool
    /// Key frame or `intra_only`.
    let isIntra: Bool

    init(_ reader: inout BitReader) throws(HeaderError) {
        guard try reader.bits(2) == 2 else { throw .invalid }  // frame_marker
        let low = try reader.bits(1)
        let profile = try reader.bits(1) << 1 | low
        if profile == 3, try reader.flag() { throw .invalid }  // reserved_zero
        showsExisting = try reader.flag()
        if showsExisting {
            (isKey, isShown, isIntra) = (false, true, false)
            return
        }
        isKey = !(try reader.flag())
        isShown = try reader.flag()
        try reader.skip(1)  // error_resilient_mode
        var isIntraOnly = false
        if !isKey, !isShown { isIntraOnly = try reader.flag() }
        isIntra = isKey || isIntraOnly
        if isKey, try reader.bits(24) != VP9FrameHeader.syncCode { throw .invalid }
    }

    /// frame_sync_code(), 6.2.1.
    private static let syncCode = 0x498342
}
