/// The fields of a VP9 key frame's header about the stream (VP9 bitstream specification, 6.2 and 7.2). A vpcC box
/// contains them (VP Codec ISO Media File Format Binding, "VP Codec Configuration Box").
package struct VP9Configuration: Hashable, Sendable {
    /// The profile, 0 to 3.
    package let profile: UInt8
    /// The bits per sample: 8, 10 or 12.
    package let bitDepth: UInt8
    /// chromaSubsampling as the box numbers it: 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
    package let chroma: UInt8
    /// Whether samples are full range.
    package let isFullRange: Bool
    /// The MatrixCoefficients (ITU-T H.273) represented by `color_space`; 2 if unknown.
    package let matrix: UInt8
    /// The lowest level that allows pictures of this size, times ten (Annex A). A movie of key pictures has few
    /// pictures per second, so no other limit matters.
    package let level: UInt8

    /// Reads the header of the first frame of a packet.
    ///
    /// - Returns: `nil` if it is not a key frame, is truncated, or has a subsampling for which the box has no number.
    package init?(_ packet: Span<UInt8>) {
        var reader = BitReader(packet)
        guard let found = try? VP9Configuration(&reader) else { return nil }
        self = found
    }

    private init(_ reader: inout BitReader) throws(HeaderError) {
        guard try reader.bits(2) == 2 else { throw .invalid }
        let low = try reader.bits(1)
        profile = UInt8(try reader.bits(1) << 1 | low)
        if profile == 3 { try reader.skip(1) }
        // show_existing_frame and frame_type, both 0; then show_frame, error_resilient_mode and the sync code.
        guard try reader.bits(2) == 0 else { throw .invalid }
        try reader.skip(2)
        guard try reader.bits(24) == 0x498342 else { throw .invalid }
        bitDepth = profile < 2 ? 8 : try reader.flag() ? 12 : 10
        let space = try reader.bits(3)
        let isOdd = profile & 1 == 1
        // CS_RGB is never subsampled; the even profiles are 4:2:0.
        var (isHalfWidth, isHalfHeight) = (true, true)
        if space == 7 {
            guard isOdd else { throw .invalid }
            (isFullRange, isHalfWidth, isHalfHeight) = (true, false, false)
            try reader.skip(1)
        } else {
            isFullRange = try reader.flag()
            if isOdd {
                (isHalfWidth, isHalfHeight) = (try reader.flag(), try reader.flag())
                try reader.skip(1)
            }
        }
        switch (isHalfWidth, isHalfHeight) {
        case (true, true): chroma = 1
        case (true, false): chroma = 2
        case (false, false): chroma = 3
        case (false, true): throw .invalid
        }
        // Unknown, BT.601, BT.709, SMPTE 170M, SMPTE 240M, BT.2020, reserved, RGB.
        matrix = [2, 5, 1, 6, 7, 9, 2, 0][space]
        let width = try reader.bits(16) + 1
        let height = try reader.bits(16) + 1
        level =
            VP9Configuration.levels.first { width * height <= $0.area && max(width, height) <= $0.side }?.level ?? 62
    }

    /// Levels with their maximum luma picture size and dimension.
    private static let levels: [(level: UInt8, area: Int, side: Int)] = [
        (10, 36864, 512), (11, 73728, 768), (20, 122_880, 960), (21, 245_760, 1344), (30, 552_960, 2048),
        (31, 983_040, 2752), (40, 2_228_224, 4160), (50, 8_912_896, 8384), (60, 35_651_584, 16832),
    ]
}
