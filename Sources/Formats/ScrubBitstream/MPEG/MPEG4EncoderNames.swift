/// A decoder's memory of the encoders that an MPEG-4 Part 2 stream has named so far.
///
/// libavcodec keeps the last name of each kind, and imitates the faults of all encoders named so far. Once XviD was
/// named, it uses XviD's transform, even after a flush. Decoders that read the same names, and no others in between,
/// produce the same pictures.
struct MPEG4EncoderNames: Sendable, Equatable {
    private var divX: String?
    private var lavc: String?
    private var xvid: String?

    /// Processes the text of a user data unit.
    mutating func take(_ unit: Span<UInt8>) {
        let head = unit.extracting(0..<min(unit.count, MPEG4UserData.longest))
        let bytes = head.indices.map { head[$0] }
        // The padding bytes after the name are meaningless.
        let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        if text.hasPrefix("DivX") {
            divX = text
        } else if text.hasPrefix("XviD") {
            let digits = text.dropFirst(4).prefix { $0.isASCII && $0.isNumber }
            // Later builds do not differ in anything that matters (ff_mpeg4_workaround_bugs of mpeg4videodec.c).
            xvid = (Int(digits) ?? 0) > 32 ? "" : text
        } else if MPEG4UserData.isSoundLavc(text) {
            lavc = ""
        } else if text != "Lavc", ["Lavc", "FFmpe", "ffmpeg"].contains(where: text.hasPrefix) {
            lavc = text
        }
    }
}
