/// Parameter sets inside samples (ISO/IEC 14496-15, 5.3.2): `avc1` and `hvc1` do not allow them; `avc3` and `hev1` do.
package struct InBandSets: Sendable {
    private let codec: VideoCodec
    private let framing: NALFraming
    private let known: Set<[UInt8]>

    /// - Parameters:
    ///   - codec: H.264 or HEVC.
    ///   - record: the content of the avcC or hvcC box.
    package init(codec: VideoCodec, record: Span<UInt8>) {
        self.codec = codec
        framing = NALFraming(codec: codec, extradata: record)
        let ranges = codec == .h264 ? ConfigurationRecord.avcUnits(record) : ConfigurationRecord.hevcUnits(record)
        known = Set(ranges.map { InBandSets.copy(record.extracting($0)) })
    }

    /// Returns the sample without the sets that are in the record; `nil` if the sample has others, so that all must be
    /// kept.
    package func stripped(_ sample: Span<UInt8>) -> [UInt8]? {
        guard case .lengthPrefixed(let lengthSize) = framing else { return InBandSets.copy(sample) }
        var out: [UInt8] = []
        out.reserveCapacity(sample.count)
        var units = NALUnits(sample, framing: framing)
        while let range = units.next() {
            let unit = sample.extracting(range)
            if isSet(unit) {
                guard known.contains(InBandSets.copy(unit)) else { return nil }
                continue
            }
            for shift in (0..<lengthSize).reversed() {
                out.append(UInt8(truncatingIfNeeded: unit.count >> (8 * shift)))
            }
            unsafe unit.withUnsafeBufferPointer { unsafe out.append(contentsOf: $0) }
        }
        // A unit that is not understood is left unchanged.
        return units.isOverrun ? InBandSets.copy(sample) : out
    }

    private func isSet(_ unit: Span<UInt8>) -> Bool {
        switch codec {
        case .h264: [7, 8, 13].contains(unit[0] & 31)
        case .hevc: (32...34).contains(unit[0] >> 1 & 63)
        default: false
        }
    }

    private static func copy(_ bytes: Span<UInt8>) -> [UInt8] {
        unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
