/// The user data of an MPEG-4 Part 2 stream about the program that made it (ISO/IEC 14496-2 6.2.2.1).
///
/// libavcodec follows it, and the container's tag, for the faults of encoders that it imitates.
package struct MPEG4UserData: Sendable, Equatable {
    /// The units, each once.
    package private(set) var units: Set<[UInt8]> = []

    package init() {}

    /// Takes the units of a packet's or configuration's headers; they come before the first plane.
    ///
    /// - Returns: whether one of them was not known.
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
        /// One of those that end pictures as they should, and have no fault that libavcodec imitates.
        case sound
        /// No program that libavcodec knows. It imitates no fault.
        case unknown
        /// One whose faults libavcodec imitates.
        case faulty
    }

    /// Returns the encoder of the stream.
    ///
    /// - Parameter tag: the container's name of the codec, its first character in the lowest byte.
    package func encoder(tag: UInt32) -> Encoder {
        let name = String(
            decoding: (0..<4).map { UInt8(truncatingIfNeeded: tag >> (8 * $0)) }, as: UTF8.self
        ).uppercased()
        guard !["XVIX", "UMP4"].contains(name) else { return .faulty }
        var isKnown = false
        for unit in units {
            let text = String(decoding: unit, as: UTF8.self)
            if text.hasPrefix("Lavc") {
                // Without a version, as those write it that are to make the same bytes always.
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
        // Of these libavcodec believes the worst, unless something says otherwise.
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
        // From 2008 on, except for three years of another library of that name (FF_BUG_IEDGE).
        return (52...255).contains(major) && (micro < 100 || !(55...57).contains(major)) && minor < 256 && micro < 256
    }

    /// libavcodec reads no further.
    static let longest = 255
}
