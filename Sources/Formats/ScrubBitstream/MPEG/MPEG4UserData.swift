/// The user data of an MPEG-4 Part 2 stream about the program that created it (ISO/IEC 14496-2 6.2.2.1).
///
/// From this and the container's tag, libavcodec determines the encoder faults that it imitates.
package struct MPEG4UserData: Sendable, Equatable {
    /// The distinct units.
    package private(set) var units: Set<[UInt8]> = []

    package init() {}

    /// Processes the units in the headers of a packet or configuration, which precede the first plane.
    ///
    /// - Returns: whether one of them was new.
    @discardableResult
    package mutating func take(_ bytes: Span<UInt8>) -> Bool {
        var isNew = false
        var position = 0
        while let prefix = StartCode.find(in: bytes, from: position), prefix + 3 < bytes.count {
            position = prefix + 4
            let code = bytes[prefix + 3]
            if code == MPEG4StartCode.plane { break }
            guard code == MPEG4StartCode.userData else { continue }
            let end = StartCode.find(in: bytes, from: position) ?? bytes.count
            let unit = bytes.extracting(position..<min(end, position + MPEG4UserData.longest))
            if units.insert(unit.indices.map { unit[$0] }).inserted { isNew = true }
        }
        return isNew
    }

    /// The known facts of the program.
    package enum Encoder: Sendable, Equatable {
        /// A program that ends pictures correctly and has no faults that libavcodec imitates.
        case sound
        /// A program that libavcodec does not recognize. It does not imitate any faults.
        case unknown
        /// A program whose faults libavcodec imitates.
        case faulty
    }

    /// Returns the stream's encoder.
    ///
    /// - Parameter tag: the container's codec tag, with its first character in the lowest byte.
    package func encoder(tag: UInt32) -> Encoder {
        let name = String(
            decoding: (0..<4).map { UInt8(truncatingIfNeeded: tag >> (8 * $0)) }, as: UTF8.self
        ).uppercased()
        guard !["XVIX", "UMP4"].contains(name) else { return .faulty }
        var isKnown = false
        for unit in units {
            let text = String(decoding: unit, as: UTF8.self)
            if text.hasPrefix("Lavc") {
                // Without a version, as written by builds that must always produce the same bytes.
                guard text != "Lavc" else { continue }
                guard MPEG4UserData.isSoundLavc(text) else { return .faulty }
                isKnown = true
            } else if text.hasPrefix("XviD") {
                guard let build = Int(text.dropFirst(4).prefix { $0.isASCII && $0.isNumber }), build > 32 else {
                    return .faulty
                }
                isKnown = true
            } else if ["DivX", "FFmpe", "ffmpeg"].contains(where: text.hasPrefix) {
                return .faulty
            }
        }
        // For these, libavcodec assumes the worst unless something indicates otherwise.
        if isKnown { return .sound }
        return ["XVID", "RMP4", "ZMP4", "SIPP", "DIVX"].contains(name) ? .faulty : .unknown
    }

    /// Whether text names a release of libavcodec without a fault that libavcodec imitates.
    static func isSoundLavc(_ text: String) -> Bool {
        guard text.hasPrefix("Lavc") else { return false }
        let numbers = text.dropFirst(4).split(separator: ".", omittingEmptySubsequences: false).map {
            Int($0.prefix { $0.isASCII && $0.isNumber })
        }
        guard numbers.count == 3, let major = numbers[0], let minor = numbers[1], let micro = numbers[2] else {
            return false
        }
        // From 2008 on, except for three years of another library with that name (FF_BUG_IEDGE).
        return (52...255).contains(major) && (micro < 100 || !(55...57).contains(major)) && minor < 256 && micro < 256
    }

    /// libavcodec does not read any further.
    static let longest = 255
}
