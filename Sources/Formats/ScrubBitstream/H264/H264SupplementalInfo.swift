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
    /// The `NNN` of "x264 - core NNN" in x264's user data message, the last one if there are several.
    var x264Build: Int?
    /// The film grain message.
    var filmGrain = CodedPicture.FilmGrain.untold

    /// The size of the user data's identifier in bytes (uuid_iso_iec_11578). libavcodec accepts the text after any
    /// identifier.
    private static let identifierSize = 16
    /// The number of bytes of user data in which the number is found.
    private static let longestName = 64

    /// Returns a copy with the encoder and the film grain of other messages.
    func named(by other: H264SupplementalInfo) -> H264SupplementalInfo {
        var info = self
        info.x264Build = other.x264Build ?? x264Build
        if other.filmGrain != .untold { info.filmGrain = other.filmGrain }
        return info
    }

    /// Reads all messages of one SEI NAL unit, from the first bit after its header.
    ///
    /// A truncated message ends the reading; the messages before it count.
    mutating func read(_ reader: inout BitReader) {
        SupplementalMessages.read(&reader) { (type, size, payload) throws(HeaderError) in
            switch type {
            case 6:
                let count = try payload.unsigned(max: 65535)
                recovery = H264RecoveryPoint(
                    count: count, isExact: try payload.flag(), isBrokenLink: try payload.flag())
            case FilmGrainMessage.payloadType where size > 0:
                filmGrain = try payload.flag() ? .cancelled : .given
            case 5 where size > 16:
                if let build = try H264SupplementalInfo.x264Build(&payload, size: size) { x264Build = build }
            default: break
            }
            return true
        }
    }

    /// Reads the number as libavcodec does: `x264 - core %d`, with any white space between the words or none.
    private static func x264Build(_ reader: inout BitReader, size: Int) throws(HeaderError) -> Int? {
        try reader.skip(identifierSize * 8)
        var text: [UInt8] = []
        for _ in 0..<min(max(0, size - identifierSize), longestName) {
            text.append(UInt8(truncatingIfNeeded: try reader.bits(8)))
        }
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        var rest = text[...]
        for word in ["x264", "-", "core"] {
            if word != "x264" { rest = rest.drop(while: isSpace) }
            guard rest.starts(with: word.utf8) else { return nil }
            rest = rest.dropFirst(word.utf8.count)
        }
        rest = rest.drop(while: isSpace)
        if rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard let build = Int32(String(decoding: digits, as: UTF8.self)), build > 0 else { return nil }
        // Some builds that wrote this many zeros were of that number.
        return build == 1 && text.starts(with: "x264 - core 0000".utf8) ? 67 : Int(build)
    }
}
