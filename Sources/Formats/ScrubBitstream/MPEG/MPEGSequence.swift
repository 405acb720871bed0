/// The fields of a sequence header (H.262 6.2.2, ISO/IEC 11172-2 2.4.2.3) that determine whether libavcodec
/// reinitializes its decoder.
struct MPEGSequence: Sendable, Equatable {
    private(set) var width = 0
    private(set) var height = 0
    private(set) var aspectCode = 0
    /// Whether there was a sequence extension, which means MPEG-2.
    private(set) var isExtended = false
    private(set) var isProgressive = true
    /// chroma_format: 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
    private(set) var chromaFormat = 1
    private(set) var isLowDelay = false
    /// The display width in luma samples, 0 if there was no display extension yet (H.262 6.3.6).
    private(set) var displayWidth = 0
    private(set) var displayHeight = 0

    init() {}

    /// Reads a sequence header's first bytes after its start code. Display sizes and low_delay are kept from the
    /// previous one, as in libavcodec.
    mutating func take(_ reader: inout BitReader) throws(HeaderError) {
        (width, height) = (try reader.bits(12), try reader.bits(12))
        aspectCode = try reader.bits(4)
        (isExtended, isProgressive, chromaFormat) = (false, true, 1)
    }

    /// Reads a sequence extension after its identifier (H.262 6.2.2.3).
    mutating func takeExtension(_ reader: inout BitReader) throws(HeaderError) {
        try reader.skip(8)  // profile_and_level_indication
        isProgressive = try reader.flag()
        chromaFormat = try reader.bits(2)
        width |= try reader.bits(2) << 12
        height |= try reader.bits(2) << 12
        try reader.skip(12 + 1 + 8)  // bit_rate_extension, marker, vbv_buffer_size_extension
        isLowDelay = try reader.flag()
        isExtended = true
    }

    /// Reads a sequence display extension after its identifier (H.262 6.2.2.4).
    mutating func takeDisplay(_ reader: inout BitReader) throws(HeaderError) {
        try reader.skip(3)  // video_format
        if try reader.flag() { try reader.skip(24) }  // colour_description
        displayWidth = try reader.bits(14)
        try reader.skip(1)
        displayHeight = try reader.bits(14)
    }

    /// Whether a decoder initialized for another sequence is reinitialized for this one. The reasons are a different
    /// size, a different sample aspect ratio, or a different coding of lines if that changes their number in memory
    /// (mpeg12dec.c, mpeg_decode_postinit).
    func resetsDecoder(after other: MPEGSequence) -> Bool {
        if width != other.width || height != other.height { return true }
        let (mine, theirs) = (aspectRatio, other.aspectRatio)
        if mine.0 * theirs.1 != theirs.0 * mine.1 { return true }
        return isProgressive != other.isProgressive && (height + 15) / 16 % 2 != 0
    }

    /// The number of macroblock rows; even for frames that may be coded as fields (H.262 6.3.3).
    var macroblockRows: Int {
        isExtended && !isProgressive ? (height + 31) / 32 * 2 : (height + 15) / 16
    }

    /// The sample aspect ratio that libavcodec derives. Both numbers are below 2^31.
    private var aspectRatio: (Int, Int) {
        guard isExtended else { return (10_000, MPEGSequence.heights[aspectCode]) }
        switch aspectCode {
        case 1: return (1, 1)
        case 2...4:
            let display = [(4, 3), (16, 9), (221, 100)][aspectCode - 2]
            // The display size is used if it makes the whole picture 4:3 or 16:9, because streams do not follow the
            // standard here.
            let (across, down) = (display.0 * displayHeight * width, display.1 * displayWidth * height)
            if displayWidth > 0, displayHeight > 0, 3 * across == 4 * down || 9 * across == 16 * down {
                return (display.0 * displayHeight, display.1 * displayWidth)
            }
            return (display.0 * height, display.1 * width)
        default: return (0, 1)
        }
    }

    /// ISO/IEC 11172-2, 2.4.3.2: the ratio of a sample's height to its width, times 10,000.
    private static let heights = [
        0, 10_000, 6735, 7031, 7615, 8055, 8437, 8935, 9157, 9815, 10_255, 10_695, 10_950, 11_575, 12_015, 0,
    ]
}
