/// The tables that a JPEG picture contains, and whether they are all that it needs (ITU-T T.81, B.2).
///
/// Motion JPEG packets are usually independent pictures, but this is not required. A stream may define its quantization
/// and Huffman tables once and omit them from then on ("abbreviated format for compressed image data", T.81 B.4).
/// Decoders keep them.
package struct JPEGTables: Sendable, Equatable {
    /// Kinds of tables that decoders keep from an earlier picture, or that are predefined.
    package struct Kinds: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// DHT: decoders predefine the usual ones (T.81 K.3) until a picture defines others.
        package static let huffman = Kinds(rawValue: 1 << 0)
        /// LSE: thresholds of JPEG-LS (ITU-T T.87, C.2.4.1), with defaults defined by the format.
        package static let thresholds = Kinds(rawValue: 1 << 1)
    }

    /// The kinds that the picture defines.
    package private(set) var defined: Kinds = []
    /// Whether each scan's tables are defined in the picture, before it. Huffman tables may be missing entirely.
    package private(set) var isWhole = false

    /// Whether the first scan has its tables, if that scan is the entire picture, according to the picture's first
    /// bytes. `nil` if they do not show it, or not yet.
    package private(set) var onlyScanIsWhole: Bool?

    private var quantization: UInt16 = 0
    private var dcTables: UInt16 = 0
    private var acTables: UInt16 = 0
    private var components: [UInt8: UInt8] = [:]
    private var frame: UInt8 = 0

    /// Examines a packet of one picture or two fields.
    ///
    /// - Complexity: the packet's bytes are inspected once.
    package init(_ bytes: Span<UInt8>) {
        var (place, scans, isSound) = (0, 0, true)
        while let marker = JPEGTables.next(in: bytes, from: &place) {
            switch marker {
            // SOI, EOI, RSTm and TEM have no length.
            case 0xD8, 0xD9, 0xD0...0xD7, 0x01: continue
            default: break
            }
            // A truncated segment may have been anything.
            guard place + 2 <= bytes.count else {
                isSound = false
                break
            }
            let length = Int(bytes[place]) << 8 | Int(bytes[place + 1])
            guard length >= 2, length <= bytes.count - place else {
                isSound = false
                break
            }
            let segment = bytes.extracting(place + 2..<place + length)
            place += length
            switch marker {
            case 0xDB: readQuantization(segment)
            case 0xC4: readHuffman(segment)
            case 0xF8: defined.insert(.thresholds)
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF, 0xF7: readFrame(marker, segment)
            case 0xDA:
                scans += 1
                let hasTables = hasTables(for: segment)
                if !hasTables { isSound = false }
                let isOnly =
                    [0xC0, 0xC1, 0xC3, 0xF7].contains(frame) && segment.count > 0 && Int(segment[0]) == components.count
                if scans == 1, isOnly { onlyScanIsWhole = hasTables }
            default: break
            }
        }
        isWhole = isSound && scans > 0
    }

    /// Returns the next marker; bytes between, such as coded data with its stuffed bytes, are skipped (B.1.1.2).
    static func next(in bytes: Span<UInt8>, from place: inout Int) -> UInt8? {
        while place + 1 < bytes.count {
            guard bytes[place] == 0xFF else {
                place += 1
                continue
            }
            let code = bytes[place + 1]
            // Any number of fill bytes may precede a marker.
            if code == 0xFF {
                place += 1
                continue
            }
            place += 2
            if code != 0 { return code }
        }
        return nil
    }

    /// Reads quantization tables (B.2.4.1).
    private mutating func readQuantization(_ segment: Span<UInt8>) {
        var place = 0
        while place < segment.count {
            let (isWide, number) = (segment[place] >> 4 != 0, segment[place] & 15)
            place += isWide ? 129 : 65
            if place <= segment.count { quantization |= 1 << UInt16(number) }
        }
    }

    /// Reads Huffman tables (B.2.4.2).
    private mutating func readHuffman(_ segment: Span<UInt8>) {
        var place = 0
        while place + 17 <= segment.count {
            let (isAC, number) = (segment[place] >> 4 != 0, segment[place] & 15)
            var count = 0
            for length in 1...16 { count += Int(segment[place + length]) }
            place += 17 + count
            guard place <= segment.count else { return }
            defined.insert(.huffman)
            if isAC { acTables |= 1 << UInt16(number) } else { dcTables |= 1 << UInt16(number) }
        }
    }

    /// Reads each component's quantization table (B.2.2).
    private mutating func readFrame(_ marker: UInt8, _ segment: Span<UInt8>) {
        (frame, components) = (marker, [:])
        guard segment.count >= 6 else { return }
        for number in 0..<Int(segment[5]) where 6 + 3 * number + 3 <= segment.count {
            components[segment[6 + 3 * number]] = segment[8 + 3 * number] & 15
        }
    }

    /// Whether a scan's components have their tables (B.2.3).
    private func hasTables(for segment: Span<UInt8>) -> Bool {
        guard let count = segment.count > 0 ? Int(segment[0]) : nil, segment.count >= 1 + 2 * count + 3 else {
            return false
        }
        let (first, last) = (segment[1 + 2 * count], segment[2 + 2 * count])
        let isRefinement = segment[3 + 2 * count] >> 4 != 0
        let (isLossless, isProgressive) = ([0xC3, 0xC7, 0xCB, 0xCF].contains(frame), [0xC2, 0xC6].contains(frame))
        // JPEG-LS has neither.
        if frame == 0xF7 { return true }
        for number in 0..<count {
            let (name, tables) = (segment[1 + 2 * number], segment[2 + 2 * number])
            guard let table = components[name] else { return false }
            if !isLossless, quantization & 1 << UInt16(table) == 0 { return false }
            guard defined.contains(.huffman) else { continue }
            let (dc, ac) = (tables >> 4, tables & 15)
            let needsDC = isLossless || !isProgressive || first == 0 && !isRefinement
            let needsAC = !isLossless && (!isProgressive || last > 0)
            if needsDC, dcTables & 1 << UInt16(dc) == 0 { return false }
            if needsAC, acTables & 1 << UInt16(ac) == 0 { return false }
        }
        return true
    }
}
