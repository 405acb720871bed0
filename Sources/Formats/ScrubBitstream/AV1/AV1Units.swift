/// One open bitstream unit (AV1 5.3): its header and the location of its payload.
struct AV1Unit {
    /// The values of `obu_type` (6.2.2) that are read here.
    enum Kind: Int {
        case sequenceHeader = 1
        case temporalDelimiter, frameHeader, tileGroup
        case frame = 6
        case redundantFrameHeader, tileList

        /// Whether the unit contains the first copy of a frame's header.
        var startsFrame: Bool { self == .frameHeader || self == .frame }
    }

    /// `nil` for types that are ignored.
    let kind: Kind?
    let layer: AV1FrameHeader.Layer
    /// `obu_extension_flag`; without it, the unit belongs to all layers.
    let hasLayer: Bool
    /// The range of the unit with its header.
    let bytes: Range<Int>
    let payload: Range<Int>
}

/// Iterates over the units of one temporal unit in the low overhead format (AV1 5.2), without copying.
struct AV1Units: ~Escapable {
    private let bytes: Span<UInt8>
    private var position: Int
    /// Whether the last unit ends beyond the bytes, or its header is damaged.
    private(set) var isOverrun = false

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, from start: Int = 0) {
        self.bytes = bytes
        self.position = start
    }

    /// Iterates over the units of a stream's out-of-band configuration, which is an av1C record or bare units.
    @_lifetime(copy extradata)
    init(configuration extradata: Span<UInt8>) {
        // av1C begins with marker 1 and version 1, then three more bytes before configOBUs (AV1-ISOBMFF 2.3.3).
        self.init(extradata, from: extradata.count >= 4 && extradata[0] == 0x81 ? 4 : 0)
    }

    /// Returns the next unit, or `nil` at the end. An overrunning unit is returned with the available bytes.
    @_lifetime(self: copy self)
    mutating func next() -> AV1Unit? {
        guard !isOverrun, position < bytes.count else { return nil }
        let start = position
        let header = bytes[position]
        position += 1
        // obu_forbidden_bit
        guard header & 0x80 == 0 else {
            isOverrun = true
            return nil
        }
        let hasLayer = header & 4 != 0
        var layer = AV1FrameHeader.Layer()
        if hasLayer {
            guard position < bytes.count else {
                isOverrun = true
                return nil
            }
            layer = AV1FrameHeader.Layer(
                temporal: Int(bytes[position] >> 5), spatial: Int(bytes[position] >> 3 & 3))
            position += 1
        }
        var size = bytes.count - position
        if header & 2 != 0 {
            guard let coded = readSize() else {
                isOverrun = true
                return nil
            }
            isOverrun = coded > bytes.count - position
            size = min(coded, bytes.count - position)
        }
        defer { position += size }
        return AV1Unit(
            kind: AV1Unit.Kind(rawValue: Int(header >> 3 & 15)), layer: layer, hasLayer: hasLayer,
            bytes: start..<position + size, payload: position..<position + size)
    }

    /// Reads leb128(), 4.10.5: at most 8 bytes, with a value below 2^32.
    @_lifetime(self: copy self)
    private mutating func readSize() -> Int? {
        var value = 0
        for index in 0..<8 {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            value |= Int(byte & 0x7F) << (index * 7)
            if byte & 0x80 == 0 { return value <= Int(UInt32.max) ? value : nil }
        }
        return nil
    }
}
