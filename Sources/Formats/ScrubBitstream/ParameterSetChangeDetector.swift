/// Detects, from the first bytes of samples, whether their stream changes its parameter sets or has film grain. For
/// HEVC, it also finds ends of sequences, after which tables cannot tell which pictures are output.
///
/// Sets come before the first slice of an access unit (H.264 7.4.1.2.3, H.265 7.4.2.4.4), and an AV1 sequence header
/// comes before the first frame of a temporal unit (7.5). Most samples begin with a slice, so a few bytes are enough.
package struct ParameterSetChangeDetector: Sendable {
    /// The contribution of one sample.
    package enum Finding: Sendable, Equatable {
        /// No sets, or only known ones.
        case nothingNew
        /// Sets that differ from the configuration, film grain, bytes that cannot be parsed, or additional pictures
        /// that are never output.
        case changes
        /// More of the sample is needed to decide.
        case needsMoreBytes
    }

    private let codec: VideoCodec
    private let findsDiscards: Bool
    private var lengthSize = 0
    private var known: [[UInt8]] = []

    /// Reads the sets of a configuration (avcC, hvcC, av1C).
    ///
    /// - Parameter findsDiscards: whether to look also for pictures that are never output (HEVC).
    /// - Returns: `nil` for other codecs, and for H.264 and HEVC without a configuration record.
    package init?(codec: VideoCodec, extradata: [UInt8], findsDiscards: Bool = true) {
        (self.codec, self.findsDiscards) = (codec, findsDiscards)
        let record = extradata.span
        guard codec != .av1 else { return }
        guard case .lengthPrefixed(let size) = NALFraming(codec: codec, extradata: record) else { return nil }
        lengthSize = size
        let units =
            codec == .h264 ? ConfigurationRecord.avcUnits(record) : ConfigurationRecord.hevcUnits(record)
        known = units.map { ParameterSetChangeDetector.trimmed(record.extracting($0)) }
    }

    /// Whether the sets are known, so that examining more samples has no further effect.
    package var isSettled: Bool { codec != .av1 || !known.isEmpty }

    /// Examines the next sample's first bytes.
    package mutating func examine(sampleHead head: Span<UInt8>, isWhole: Bool) -> Finding {
        codec == .av1 ? examineUnits(head, isWhole: isWhole) : examineNALUnits(head, isWhole: isWhole)
    }

    private func examineNALUnits(_ head: Span<UInt8>, isWhole: Bool) -> Finding {
        // A one-byte unit at the start is a careless remuxer's start code, which NALUnits reads differently.
        if StartCode.isAtStart(of: head), head.count >= 4, head[2] == 0 { return .changes }
        var position = 0
        while position < head.count || !isWhole {
            guard position + lengthSize < head.count else { return isWhole ? .changes : .needsMoreBytes }
            var length = 0
            for index in position..<position + lengthSize { length = length << 8 | Int(head[index]) }
            let start = position + lengthSize
            position = start + length
            guard length > 0 else { continue }
            switch ParameterSetChangeDetector.kind(head[start], codec) {
            case .slice:
                let type = head[start] >> 1 & 63
                guard findsDiscards, codec == .hevc, (16...23).contains(type) else { return .nothingNew }
                // After a broken link (BLA), RASL pictures are skipped (8.1.3), whatever a table says.
                if type <= 18 { return .changes }
                // no_output_of_prior_pics_flag, after the unit's header and first_slice_segment_in_pic_flag (7.3.6.1).
                guard start + 2 < head.count else { return isWhole ? .nothingNew : .needsMoreBytes }
                return head[start + 2] & 0x40 != 0 ? .changes : .nothingNew
            case .end: if findsDiscards { return .changes }
            case .message:
                let unit = head.extracting(start..<min(position, head.count))
                var reader = BitReader(unit.extracting(min(unit.count, codec == .h264 ? 1 : 2)...), isEscaped: true)
                if FilmGrainMessage.find(in: &reader) == .given { return .changes }
            case .other: continue
            case .set:
                guard position <= head.count else { return isWhole ? .changes : .needsMoreBytes }
                guard contains(head.extracting(start..<position)) else { return .changes }
            }
        }
        return .nothingNew
    }

    private enum Kind { case slice, set, message, end, other }

    /// Returns the kind by `nal_unit_type` (H.264 Table 7-1, H.265 Table 7-1).
    private static func kind(_ header: UInt8, _ codec: VideoCodec) -> Kind {
        if codec == .h264 {
            switch header & 31 {
            case 1...5: return .slice
            case 6: return .message
            // Sequence and picture sets, and those of auxiliary pictures and other layers.
            case 7, 8, 13, 15: return .set
            default: return .other
            }
        }
        switch header >> 1 & 63 {
        case 0...31: return .slice
        case 32...34: return .set
        // End of sequence, end of bitstream.
        case 36, 37: return .end
        case 39: return .message
        default: return .other
        }
    }

    /// Compares the headers of the units: all must equal the first one found. The content of av1C is optional.
    private mutating func examineUnits(_ head: Span<UInt8>, isWhole: Bool) -> Finding {
        var units = AV1Units(head)
        while let unit = units.next() {
            guard let kind = unit.kind else { continue }
            guard kind == .sequenceHeader else { return .nothingNew }
            guard !units.isOverrun else { return isWhole ? .changes : .needsMoreBytes }
            let header = head.extracting(unit.payload)
            if known.isEmpty {
                known = [ParameterSetChangeDetector.trimmed(header)]
            } else if !contains(header) {
                return .changes
            }
        }
        return isWhole ? .nothingNew : .needsMoreBytes
    }

    private func contains(_ unit: Span<UInt8>) -> Bool {
        let count = ParameterSetChangeDetector.trimmedCount(unit)
        return known.contains { set in
            guard set.count == count else { return false }
            for index in 0..<count where set[index] != unit[index] { return false }
            return true
        }
    }

    /// Returns a unit without the zeros that some writers leave after it: the unit itself never ends in 0 (H.264
    /// 7.4.1).
    private static func trimmed(_ unit: Span<UInt8>) -> [UInt8] { (0..<trimmedCount(unit)).map { unit[$0] } }

    private static func trimmedCount(_ unit: Span<UInt8>) -> Int {
        var count = unit.count
        while count > 0, unit[count - 1] == 0 { count -= 1 }
        return count
    }
}
