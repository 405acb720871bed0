/// What an MPEG-1 or MPEG-2 decoder of libavcodec keeps over sequence headers and flushes (mpeg12dec.c).
struct MPEGDecoderMemory: Sendable {
    /// Whether a packet was made by an old TMPGEnc: MPEG-1's DC coefficients are read in another way then, for good.
    private var isOfTMPGEnc = false
    /// Whether every decoder knows that from the configuration.
    private var isDeclared = false
    /// The fields of the last picture coding extension. Pictures without one, as all of MPEG-1, go by them.
    private var coding: Int?
    /// Whether packets set matrices apart from a sequence header, name the encoder, or have a coding extension.
    private var sets = Setting()
    /// Whether key pictures are read by what is in force of these, as they bring none.
    private var takes = Setting()

    private struct Setting {
        var matrices = false
        var encoder = false
        var coding = false
    }

    /// Whether a decoder that has seen other packets of the stream reads some key pictures in another way than a new
    /// one does.
    var varies: Bool {
        sets.matrices && takes.matrices || sets.encoder && takes.encoder || sets.coding && takes.coding
    }

    /// Takes user data of the configuration, with all that follows it.
    mutating func note(extradata: Span<UInt8>) {
        if MPEGDecoderMemory.namesTMPGEnc(extradata) { isDeclared = true }
    }

    /// Takes the next packet.
    ///
    /// - Parameters:
    ///   - setsMatrices: whether it has a quantiser matrix extension.
    ///   - hasSequence: whether it has a sequence header.
    ///   - isExtended: whether its sequence is MPEG-2.
    /// - Returns: whether its first picture, an I picture, depends on what earlier packets have set.
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
        // Zero is what a new decoder has.
        let inheritsCoding = pictures.first.map { $0.coding == nil && (coding ?? 0) != 0 } ?? false
        if namesTMPGEnc { isOfTMPGEnc = true }
        if let last = pictures.last(where: { $0.coding != nil }) { coding = last.coding }
        return pictures.first?.type == .i && (inheritsEncoder || inheritsCoding)
    }

    /// Whether user data, with all that follows it in the packet, names TMPGEnc as libavcodec looks for it.
    static func namesTMPGEnc(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 29 else { return false }
        return (0..<20).contains { start in
            bytes[start] == 0 && name.indices.allSatisfy { bytes[start + $0] == name[$0] }
        }
    }

    private static let name: [UInt8] = [0] + Array("TMPGEXS".utf8) + [0]
}
