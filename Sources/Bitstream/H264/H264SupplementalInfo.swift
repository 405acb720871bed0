/// The recovery point SEI message (H.264 D.1.8, D.2.8).
struct H264RecoveryPoint: Sendable {
    /// `recovery_frame_cnt`.
    let count: Int
    /// `exact_match_flag`.
    let isExact: Bool
    /// `broken_link_flag`.
    let isBrokenLink: Bool
}

/// The SEI messages that matter for seeking (H.264 7.3.2.3, Annex D).
struct H264SupplementalInfo: Sendable {
    var recovery: H264RecoveryPoint?
    /// The `NNN` of "x264 - core NNN" in x264's user data message.
    var x264Build: Int?

    /// The 128-bit uuid_iso_iec_11578 with which x264 marks its user data.
    private static let x264Identifier: [UInt8] = [
        0xDC, 0x45, 0xE9, 0xBD, 0xE6, 0xD9, 0x48, 0xB7, 0x96, 0x2C, 0xD8, 0x20, 0xD9, 0x23, 0xEE, 0xEF,
    ]

    /// Reads all messages of one SEI NAL unit, from the first bit after its header.
    ///
    /// A message that breaks off ends the reading; what came before it counts.
    mutating func read(_ reader: inout BitReader) {
        do {
            while true {
                let type = try H264SupplementalInfo.extendedNumber(&reader)
                let size = try H264SupplementalInfo.extendedNumber(&reader)
                // The copy may read as it likes: the messages are found by their sizes alone.
                var payload = reader
                switch type {
                case 6:
                    let count = try payload.unsigned(max: 65535)
                    recovery = H264RecoveryPoint(
                        count: count, isExact: try payload.flag(), isBrokenLink: try payload.flag())
                case 5 where size > 16:
                    if let build = try H264SupplementalInfo.x264Build(&payload, size: size) {
                        x264Build = build
                    }
                default:
                    break
                }
                try reader.skip(size * 8)
            }
        } catch {
            // rbsp_trailing_bits look like the start of another message: running out is the normal end.
        }
    }

    /// payloadType and payloadSize: bytes of 255 and a last one, summed up (7.3.2.3.1).
    private static func extendedNumber(_ reader: inout BitReader) throws(HeaderError) -> Int {
        var value = 0
        while true {
            let byte = try reader.bits(8)
            value += byte
            if byte != 255 { return value }
        }
    }

    private static func x264Build(_ reader: inout BitReader, size: Int) throws(HeaderError) -> Int? {
        for byte in x264Identifier where try reader.bits(8) != Int(byte) { return nil }
        let prefix = "x264 - core ".utf8
        for byte in prefix where try reader.bits(8) != Int(byte) { return nil }
        var build: Int?
        for _ in 0..<max(0, min(size - x264Identifier.count - prefix.count, 6)) {
            let digit = try reader.bits(8) - 0x30
            guard (0...9).contains(digit) else { break }
            build = (build ?? 0) * 10 + digit
        }
        return build
    }
}
