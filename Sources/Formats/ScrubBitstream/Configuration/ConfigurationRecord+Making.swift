extension ConfigurationRecord {
    /// Returns an avcC record (ISO/IEC 14496-15, 5.3.3.1.2) of complete sets; `nil` if the sets cannot be read.
    static func avc(_ sets: [ByteStreamConversion.ParameterSet]) -> [UInt8]? {
        let sequences = sets.filter { $0.type == 7 }
        let pictures = sets.filter { $0.type == 8 }
        guard let first = sequences.first?.bytes, first.count >= 4, sequences.count <= 31, pictures.count <= 255
        else { return nil }
        var record: [UInt8] = [1, first[1], first[2], first[3], 0xFF, 0xE0 | UInt8(sequences.count)]
        for set in sequences { append(set.bytes, to: &record) }
        record.append(UInt8(pictures.count))
        for set in pictures { append(set.bytes, to: &record) }
        // Records of profiles before the High profiles end here.
        guard ![66, 77, 88].contains(first[1]) else { return record }
        guard let format = try? avcFormat(first) else { return nil }
        record += [0xFC | format.chroma, 0xF8 | format.luma, 0xF8 | format.chromaDepth, 0]
        return record
    }

    /// Returns an hvcC record (ISO/IEC 14496-15, 8.3.3.1.2) of complete sets; `nil` if the sets cannot be read.
    static func hevc(_ sets: [ByteStreamConversion.ParameterSet]) -> [UInt8]? {
        guard let sequence = sets.first(where: { $0.type == 33 })?.bytes,
            let facts = try? HEVCFacts(sequence)
        else { return nil }
        var record: [UInt8] = [1] + facts.profileTierLevel
        // Spatial segmentation, parallelism and the frame rate are unknown.
        record += [0xF0, 0, 0xFC, 0xFC | facts.chroma, 0xF8 | facts.luma, 0xF8 | facts.chromaDepth, 0, 0]
        // Layers, their nesting, and lengths of four bytes.
        record.append(facts.layers << 3 | (facts.isNested ? 4 : 0) | 3)
        record.append(3)
        for type in 32...34 {
            let units = sets.filter { $0.type == type }
            // All sets of this type are here: array_completeness.
            record += [0x80 | UInt8(type), UInt8(truncatingIfNeeded: units.count >> 8), UInt8(units.count & 0xFF)]
            for unit in units { append(unit.bytes, to: &record) }
        }
        return record
    }

    private static func append(_ set: [UInt8], to record: inout [UInt8]) {
        record += [UInt8(truncatingIfNeeded: set.count >> 8), UInt8(set.count & 0xFF)] + set
    }

    /// Returns chroma_format_idc and the bit depths minus 8 of a High profile's sequence set (H.264 7.3.2.1.1).
    private static func avcFormat(_ set: [UInt8]) throws(HeaderError) -> (
        chroma: UInt8, luma: UInt8, chromaDepth: UInt8
    ) {
        var reader = BitReader(set.span, isEscaped: true)
        try reader.skip(32)  // unit header, profile, constraints, level
        _ = try reader.unsigned(max: 31)
        let chroma = try reader.unsigned(max: 3)
        if chroma == 3 { try reader.skip(1) }
        return (UInt8(chroma), UInt8(try reader.unsigned(max: 6)), UInt8(try reader.unsigned(max: 6)))
    }

    /// The fields of a sequence set that an hvcC record repeats (H.265 7.3.2.2).
    private struct HEVCFacts {
        /// From general_profile_space to general_level_idc.
        var profileTierLevel: [UInt8] = []
        let layers: UInt8
        let isNested: Bool
        let chroma: UInt8
        let luma: UInt8
        let chromaDepth: UInt8

        init(_ set: [UInt8]) throws(HeaderError) {
            var general = BitReader(set.span, isEscaped: true)
            try general.skip(24)
            for _ in 0..<12 { profileTierLevel.append(UInt8(try general.bits(8))) }
            var reader = BitReader(set.span, isEscaped: true)
            try reader.skip(16 + 4)  // unit header, sps_video_parameter_set_id
            let highest = try reader.bits(3)
            guard highest < 7 else { throw .invalid }
            layers = UInt8(highest + 1)
            isNested = try reader.flag()
            try HEVCSequenceSet.skipProfiles(&reader, highestTemporalID: highest)
            _ = try reader.unsigned(max: 15)
            chroma = UInt8(try reader.unsigned(max: 3))
            if chroma == 3 { try reader.skip(1) }
            _ = try reader.unsigned(max: 1 << 20)
            _ = try reader.unsigned(max: 1 << 20)
            if try reader.flag() {
                for _ in 0..<4 { _ = try reader.unsigned() }  // conformance window
            }
            luma = UInt8(try reader.unsigned(max: 7))
            chromaDepth = UInt8(try reader.unsigned(max: 7))
        }
    }
}
