/// Converts H.264 or HEVC from units with start codes (Annex B) to units with length prefixes, as used in MP4 (ISO/IEC
/// 14496-15, 4.3.2).
package struct ByteStreamConversion: Sendable {
    /// The content of the avcC or hvcC box. Lengths have four bytes.
    package let record: [UInt8]
    private let codec: VideoCodec
    private let sets: Set<[UInt8]>

    /// Collects the parameter sets.
    ///
    /// - Parameters:
    ///   - codec: H.264 or HEVC.
    ///   - extradata: parameter sets with start codes; empty if there are none.
    ///   - picture: the first key picture, whose sets are used if the other bytes have none.
    /// - Returns: `nil` if a sequence or picture set is missing or cannot be read, and for other codecs.
    package init?(codec: VideoCodec, extradata: Span<UInt8>, picture: Span<UInt8>) {
        var found = ByteStreamConversion.sets(in: extradata, codec)
        if !ByteStreamConversion.isComplete(found, codec) { found = ByteStreamConversion.sets(in: picture, codec) }
        guard ByteStreamConversion.isComplete(found, codec),
            let record = codec == .h264
                ? ConfigurationRecord.avc(found) : ConfigurationRecord.hevc(found)
        else { return nil }
        (self.codec, self.record, sets) = (codec, record, Set(found.map(\.bytes)))
    }

    /// Returns a picture's units with length prefixes. Delimiters, filler and the sets that are in the record are
    /// omitted, because they are not allowed in samples of `avc1` and `hvc1`.
    package func sample(_ picture: Span<UInt8>) -> [UInt8] {
        var sample: [UInt8] = []
        sample.reserveCapacity(picture.count + 16)
        var units = NALUnits(picture, framing: .annexB)
        while let range = units.next() {
            let unit = picture.extracting(range)
            let type = ByteStreamConversion.type(unit, codec)
            switch (codec, type) {
            case (.h264, 9), (.h264, 12), (.hevc, 35), (.hevc, 38): continue
            case (.h264, 7), (.h264, 8), (.h264, 13), (.hevc, 32...34):
                if sets.contains(ByteStreamConversion.copy(unit)) { continue }
            default: break
            }
            for shift in [24, 16, 8, 0] { sample.append(UInt8(truncatingIfNeeded: unit.count >> shift)) }
            unsafe unit.withUnsafeBufferPointer { unsafe sample.append(contentsOf: $0) }
        }
        return sample
    }

    /// Whether a sample that should have lengths has start codes, as left by careless remuxers.
    package static func isByteStream(_ sample: Span<UInt8>, framing: NALFraming) -> Bool {
        guard case .lengthPrefixed(let size) = framing else { return true }
        return StartCode.isAtStart(of: sample) && !NALUnits.lengthsAddUp(sample, lengthSize: size)
    }

    /// A parameter set.
    struct ParameterSet {
        let type: Int
        let bytes: [UInt8]
    }

    private static func type(_ unit: Span<UInt8>, _ codec: VideoCodec) -> Int {
        codec == .h264 ? Int(unit[0] & 31) : Int(unit[0] >> 1 & 63)
    }

    private static func copy(_ unit: Span<UInt8>) -> [UInt8] {
        unsafe unit.withUnsafeBufferPointer { unsafe Array($0) }
    }

    private static let mostSets = 512

    private static func sets(in bytes: Span<UInt8>, _ codec: VideoCodec) -> [ParameterSet] {
        var sets: [ParameterSet] = []
        var known: Set<[UInt8]> = []
        guard StartCode.isAtStart(of: bytes) else { return sets }
        var units = NALUnits(bytes, framing: .annexB)
        while let range = units.next() {
            let unit = bytes.extracting(range)
            let type = type(unit, codec)
            let isSet = codec == .h264 ? type == 7 || type == 8 : (32...34).contains(type)
            // Lengths in records are 16 bits wide.
            guard isSet, unit.count <= 0xFFFF else { continue }
            let set = ParameterSet(type: type, bytes: copy(unit))
            if known.insert(set.bytes).inserted { sets.append(set) }
            // There are at most 256 picture parameter sets, 32 sequence sets, and 16 sets for layers (H.264 7.4.2.2,
            // H.265 7.4.3.3).
            if sets.count > mostSets { return [] }
        }
        return sets
    }

    private static func isComplete(_ sets: [ParameterSet], _ codec: VideoCodec) -> Bool {
        let needed: [Int]
        switch codec {
        case .h264: needed = [7, 8]
        case .hevc: needed = [32, 33, 34]
        default: return false
        }
        return needed.allSatisfy { type in sets.contains { $0.type == type } }
    }
}
