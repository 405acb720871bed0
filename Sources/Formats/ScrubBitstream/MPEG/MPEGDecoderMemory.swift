/// State that libavcodec's MPEG-1 and MPEG-2 decoders keep across sequence headers and flushes (mpeg12dec.c).
struct MPEGDecoderMemory: Sendable {
    /// Whether an old TMPGEnc created a packet. If so, libavcodec reads the DC coefficients of MPEG-1 differently from
    /// there on.
    private var isOfTMPGEnc = false
    /// Whether the configuration already names TMPGEnc, so that every decoder knows it.
    private var isDeclared = false
    /// The fields of the last picture coding extension. Pictures without an extension, such as those of MPEG-1, use
    /// them.
    private var coding: Int?
    /// Whether packets set matrices outside a sequence header, name the encoder, or have a coding extension.
    private var sets = Setting()
    /// Whether key pictures depend on these settings because they do not contain them.
    private var takes = Setting()

    private struct Setting {
        var matrices = false
        var encoder = false
        var coding = false
    }

    /// Whether a new decoder reads some key pictures differently from one that has read other packets of the stream.
    var varies: Bool {
        sets.matrices && takes.matrices || sets.encoder && takes.encoder || sets.coding && takes.coding
    }

    /// Reads the user data in a configuration, with all bytes after it.
    mutating func note(extradata: Span<UInt8>) {
        if MPEGDecoderMemory.namesTMPGEnc(extradata) { isDeclared = true }
    }

    /// Records the next packet.
    ///
    /// - Parameters:
    ///   - setsMatrices: whether the packet has a quantiser matrix extension.
    ///   - hasSequence: whether the packet has a sequence header.
    ///   - isExtended: whether the packet's sequence is MPEG-2.
    /// - Returns: whether the packet's first picture is an I picture that depends on the state from earlier packets.
    mutating func take(
        _ pictures: [MPEGPictureHeader], setsMatrices: Bool, hasSequence: Bool, namesTMPGEnc: Bool, isExtended: Bool
    ) -> Bool {
        if setsMatrices { sets.matrices = true }
        if namesTMPGEnc, !isDeclared { sets.encoder = true }
        if pictures.contains(where: { ($0.coding ?? 0) != 0 }) { sets.coding = true }
        if let first = pictures.first, first.type == .i {
            if !hasSequence { takes.matrices = true }
            if !namesTMPGEnc, !isExtended { takes.encoder = true }
            if first.coding == nil { takes.coding = true }
        }
        let inheritsEncoder = isOfTMPGEnc && !isDeclared && !namesTMPGEnc && !isExtended
        // A new decoder has zero.
        let inheritsCoding = pictures.first.map { $0.coding == nil && (coding ?? 0) != 0 } ?? false
        if namesTMPGEnc { isOfTMPGEnc = true }
        if let last = pictures.last(where: { $0.coding != nil }) { coding = last.coding }
        return pictures.first?.type == .i && (inheritsEncoder || inheritsCoding)
    }

    /// Whether user data, with all bytes after it in the packet, names TMPGEnc according to libavcodec's rules.
    static func namesTMPGEnc(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 29 else { return false }
        return (0..<20).contains { start in
            bytes[start] == 0 && name.indices.allSatisfy { bytes[start + $0] == name[$0] }
        }
    }

    private static let name: [UInt8] = [0] + Array("TMPGEXS".utf8) + [0]
}
