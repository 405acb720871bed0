/// Reads VP8 frames in decoding order (RFC 6386).
struct VP8PictureParser: Sendable {
    /// Whether a frame since the last key frame turned segmentation on. If so, the segment map persists from frame to
    /// frame (9.3), and omitting a frame that changes it is not provably harmless.
    private var usesSegments = true

    /// Forgets the frames.
    mutating func reset() { usesSegments = true }

    /// Reads one frame, or its first bytes.
    mutating func parse(_ packet: Span<UInt8>) -> CodedPicture {
        // The frame tag (9.1), little endian: key frame (inverted), version, show_frame, first partition size.
        guard packet.count >= 3 else { return .notUnderstood }
        let isKey = packet[0] & 1 == 0
        var picture = CodedPicture()
        picture.pictureCount = 1
        picture.isIntra = isKey
        picture.pictureType = isKey ? .i : .p
        picture.isShown = packet[0] >> 4 & 1 == 1
        picture.shownCount = picture.isShown ? 1 : 0
        var header: VP8FrameHeader?
        if isKey {
            let hasStartCode =
                packet.count >= 10 && packet[3] == 0x9D && packet[4] == 0x01 && packet[5] == 0x2A
            guard hasStartCode else { return .notUnderstood }
            // A key frame refreshes all three buffers and all probabilities (9.7, 9.11), shown or not.
            picture.randomAccess = .instantaneous
            picture.startsSequence = true
            header = try? VP8FrameHeader(packet.extracting(10..<packet.count), isKey: true)
            usesSegments = false
        } else {
            header = try? VP8FrameHeader(packet.extracting(3..<packet.count), isKey: false)
        }
        guard let header else {
            picture.isUnderstood = false
            usesSegments = true
            return picture
        }
        // libavcodec keeps the map of the previous frame (vp8.c, decode_mb_mode). A new decoder does not have it.
        if isKey, header.hasSegments, !header.updatesMap { picture.randomAccess = .inexact }
        let touchesSegments = header.hasSegments || usesSegments
        if header.hasSegments { usesSegments = true }
        picture.isReference = header.changesState || touchesSegments
        return picture
    }
}

/// The first fields of a VP8 frame header, in the first partition (RFC 6386 9.3 to 9.11, 19.2).
struct VP8FrameHeader {
    /// `segmentation_enabled`.
    let hasSegments: Bool
    /// `update_mb_segmentation_map`.
    let updatesMap: Bool
    /// Whether the frame changes buffers, probabilities or loop filter adjustments.
    let changesState: Bool

    init(_ partition: Span<UInt8>, isKey: Bool) throws(HeaderError) {
        var decoder = VP8BoolDecoder(partition)
        if isKey { _ = try decoder.literal(2) }  // color_space, clamping_type
        hasSegments = try decoder.flag()
        updatesMap = hasSegments ? try VP8FrameHeader.readSegments(&decoder) : false
        _ = try decoder.literal(1 + 6 + 3)  // filter_type, loop_filter_level, sharpness_level
        var changesFilter = false
        if try decoder.flag(), try decoder.flag() {
            changesFilter = true
            for _ in 0..<8 { try VP8FrameHeader.skipSigned(&decoder, bits: 6) }
        }
        _ = try decoder.literal(2 + 7)  // log2_nbr_of_dct_partitions, y_ac_qi
        for _ in 0..<5 { try VP8FrameHeader.skipSigned(&decoder, bits: 4) }
        if isKey {
            changesState = true
            return
        }
        let refreshesGolden = try decoder.flag()
        let refreshesAlternate = try decoder.flag()
        let copiesToGolden = refreshesGolden ? 0 : try decoder.literal(2)
        let copiesToAlternate = refreshesAlternate ? 0 : try decoder.literal(2)
        _ = try decoder.literal(2)  // sign biases, which every frame says anew
        let refreshesProbabilities = try decoder.flag()
        let refreshesLast = try decoder.flag()
        changesState =
            refreshesGolden || refreshesAlternate || copiesToGolden != 0 || copiesToAlternate != 0
            || refreshesProbabilities || refreshesLast || changesFilter
    }

    /// Reads update_segmentation(), 19.2, and returns whether it has a map.
    private static func readSegments(_ decoder: inout VP8BoolDecoder) throws(HeaderError) -> Bool {
        let updatesMap = try decoder.flag()
        if try decoder.flag() {
            _ = try decoder.flag()  // segment_feature_mode
            for _ in 0..<4 { try skipSigned(&decoder, bits: 7) }
            for _ in 0..<4 { try skipSigned(&decoder, bits: 6) }
        }
        guard updatesMap else { return false }
        for _ in 0..<3 where try decoder.flag() { _ = try decoder.literal(8) }
        return true
    }

    /// Skips a flag and, if it is set, the magnitude and sign after it.
    private static func skipSigned(_ decoder: inout VP8BoolDecoder, bits: Int) throws(HeaderError) {
        if try decoder.flag() { _ = try decoder.literal(bits + 1) }
    }
}

/// The boolean entropy decoder (RFC 6386 section 7), for fields with even probability, of which headers consist.
struct VP8BoolDecoder: ~Escapable {
    private let bytes: Span<UInt8>
    private var next = 0
    private var value = 0
    private var range = 255
    /// The number of bits of `value` below its top byte that are still unread.
    private var spare = -8

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    /// Returns one boolean whose probability of being 0 is 128/256.
    @_lifetime(self: copy self)
    mutating func flag() throws(HeaderError) -> Bool {
        while spare < 0 {
            guard next < bytes.count else { throw .truncated }
            value = value << 8 | Int(bytes[next])
            next += 1
            spare += 8
        }
        let split = 1 + ((range - 1) * 128) >> 8
        let isSet = value >= split << spare
        if isSet {
            value -= split << spare
            range -= split
        } else {
            range = split
        }
        while range < 128 {
            range <<= 1
            spare -= 1
        }
        return isSet
    }

    /// Returns an unsigned number of `count` booleans with even probability, most significant first (section 7.3).
    @_lifetime(self: copy self)
    mutating func literal(_ count: Int) throws(HeaderError) -> Int {
        var result = 0
        for _ in 0..<count { result = result << 1 | (try flag() ? 1 : 0) }
        return result
    }
}
