/// Reads the picture types of VC-1 (SMPTE 421M). Supports the advanced profile, and the simple and main profiles of
/// Windows Media Video 9 files.
///
/// Nothing else is read, because display order depends only on which pictures are B (7.1.1.4, 9.1.1.42).
package struct VC1PictureReader: Sendable {
    private enum Profile: Sendable {
        /// Simple and main, with the flags of the sequence header (Annex J.1.1, STRUCT_C) for the fields before the
        /// picture type.
        case main(hasB: Bool, hasInterpolation: Bool, hasRangeReduction: Bool)
        /// Advanced, whose sequence header may be repeated within the stream.
        case advanced(isInterlaced: Bool)
    }
    private var profile: Profile

    /// Start code suffixes (Annex E.5).
    private static let frameCode: UInt8 = 0x0D
    private static let sequenceCode: UInt8 = 0x0F

    /// Starts at the beginning of a stream.
    ///
    /// - Parameters:
    ///   - isAdvanced: whether the container declares VC-1 rather than WMV3.
    ///   - extradata: STRUCT_C, or the sequence header after its start code.
    /// - Returns: nil if the header cannot be read, or for a variant (sprites) whose pictures do not follow the
    ///   standard.
    package init?(isAdvanced: Bool, extradata: [UInt8]) {
        let bytes = extradata.span
        do {
            if isAdvanced {
                guard let found = try VC1PictureReader.sequence(in: bytes) else { return nil }
                profile = .advanced(isInterlaced: found)
            } else {
                guard let found = try VC1PictureReader.structC(bytes) else { return nil }
                profile = found
            }
        } catch {
            return nil
        }
    }

    /// Returns the type of the picture in a packet; BI counts as B, and a pair of fields is B if either field is.
    ///
    /// - Returns: nil if the packet has no readable picture header.
    package mutating func type(of packet: Span<UInt8>) -> CodedPicture.PictureType? {
        do {
            switch profile {
            case .main(let hasB, let hasInterpolation, let hasRangeReduction):
                var reader = BitReader(packet)
                // INTERPFRM, FRMCNT, RANGEREDFRM (7.1.1).
                try reader.skip((hasInterpolation ? 1 : 0) + 2 + (hasRangeReduction ? 1 : 0))
                if try reader.flag() { return .p }
                return try hasB && !reader.flag() ? .b : .i
            case .advanced:
                return try advancedType(packet)
            }
        } catch {
            return nil
        }
    }

    private mutating func advancedType(_ packet: Span<UInt8>) throws(HeaderError) -> CodedPicture.PictureType? {
        guard StartCode.isAtStart(of: packet) else { return try advancedHeader(packet) }
        var units = StartCodeUnits(packet)
        while let range = units.next() {
            let body = packet.extracting(range.lowerBound + 1..<range.upperBound)
            switch packet[range.lowerBound] {
            case VC1PictureReader.sequenceCode:
                profile = .advanced(isInterlaced: try VC1PictureReader.sequence(body: body))
            case VC1PictureReader.frameCode: return try advancedHeader(body)
            default: continue
            }
        }
        return nil
    }

    /// Reads FCM and PTYPE or FPTYPE (7.1.1.4, 9.1.1.42, 9.1.1.43).
    private func advancedHeader(_ bytes: Span<UInt8>) throws(HeaderError) -> CodedPicture.PictureType? {
        guard case .advanced(let isInterlaced) = profile else { return nil }
        var reader = BitReader(bytes, isEscaped: true)
        if isInterlaced, try reader.flag(), try reader.flag() {
            // Two fields: I/I, I/P, P/I, P/P, and four pairs with B or BI.
            switch try reader.bits(3) {
            case 0: return .i
            case 1...3: return .p
            default: return .b
            }
        }
        // 0 P, 10 B, 110 I, 1110 BI, 1111 a P picture that repeats the previous picture.
        if try !reader.flag() { return .p }
        if try !reader.flag() { return .b }
        if try !reader.flag() { return .i }
        return try reader.flag() ? .p : .b
    }

    /// Reads STRUCT_C (Annex J.1.1); nil for other profiles and for sprites (the reserved bit that WMV9 Image sets).
    private static func structC(_ bytes: Span<UInt8>) throws(HeaderError) -> Profile? {
        var reader = BitReader(bytes)
        guard try reader.bits(2) <= 1 else { return nil }
        try reader.skip(1)
        if try reader.flag() { return nil }
        // FRMRTQ_POSTPROC to SYNCMARKER.
        try reader.skip(3 + 5 + 1 + 1 + 1 + 1 + 1 + 1 + 2 + 1 + 1 + 1 + 1)
        let hasRangeReduction = try reader.flag()
        let hasB = try reader.bits(3) > 0
        try reader.skip(2)
        return .main(hasB: hasB, hasInterpolation: try reader.flag(), hasRangeReduction: hasRangeReduction)
    }

    /// Whether the first sequence header after a start code has INTERLACE set; nil if there is none.
    private static func sequence(in bytes: Span<UInt8>) throws(HeaderError) -> Bool? {
        var units = StartCodeUnits(bytes)
        while let range = units.next() {
            guard bytes[range.lowerBound] == sequenceCode else { continue }
            return try sequence(body: bytes.extracting(range.lowerBound + 1..<range.upperBound))
        }
        return nil
    }

    /// Returns a sequence header's INTERLACE (6.1).
    private static func sequence(body: Span<UInt8>) throws(HeaderError) -> Bool {
        var reader = BitReader(body, isEscaped: true)
        guard try reader.bits(2) == 3 else { throw .invalid }
        // LEVEL, COLORDIFF, FRMRTQ_POSTPROC, BITRTQ_POSTPROC, POSTPROCFLAG, the size, PULLDOWN.
        try reader.skip(3 + 2 + 3 + 5 + 1 + 12 + 12 + 1)
        return try reader.flag()
    }
}
