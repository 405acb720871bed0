/// What packets set in a decoder of libavcodec that outlasts their own pictures, of codecs whose key pictures are
/// believed and not parsed: comments, palettes, tables, switches.
///
/// A decoder that begins within a stream lacks what earlier packets have set, and its pictures are others. The facts
/// are kept by name. What a linear decoder knows is compared with what one knows that begins with a packet: its
/// configuration, and what the packet itself sets.
///
/// Cost: a look at the first bytes of each packet.
package struct DecoderMemory: Sendable {
    /// Facts by name; none of them is what a new decoder begins with.
    typealias Facts = [UInt8: UInt64]

    private var reader: any PacketFactReader
    private let declared: Facts
    private var linear: Facts
    private var first: Facts?
    private var firstCount: UInt64?
    private var isAsDeclared = true
    /// Whether the facts were not the same all the time. Decoders that were given other packets then make other
    /// pictures, and so do several threads, of which each has facts of its own.
    package private(set) var varies = false

    /// - Parameter height: the picture's height as the container says.
    /// - Returns: `nil` for codecs of which nothing is known to outlast a key picture.
    package init?(codecName: String, codecTag: UInt32, extradata: [UInt8], height: Int) {
        switch codecName {
        case "mjpeg", "thp", "ljpeg", "jpegls":
            reader = JPEGFacts(hasTag: codecTag != 0, height: height)
        case "png": reader = PNGFacts()
        case "tiff": reader = TIFFFacts()
        case "vc1": reader = VC1Facts()
        case "dirac": reader = DiracFacts()
        case "vp6", "vp6f", "vp6a": reader = VP6Facts(offset: codecName == "vp6a" ? 3 : 0)
        case "theora": reader = TheoraFacts()
        case "h263", "h263p": reader = H263Facts()
        case "cfhd": reader = CineFormFacts()
        default: return nil
        }
        declared = reader.declared(extradata.span)
        linear = declared
    }

    /// What is known of a packet.
    package struct Entry: Sendable, Hashable {
        /// Whether a decoder that begins with it knows all that a linear one knows.
        package var beginsAlike = true
        /// Whether a linear decode makes no picture of it.
        package var makesNoPicture = false
    }

    /// Takes the next packet.
    package mutating func take(_ packet: Span<UInt8>) -> Entry {
        let found = reader.read(packet)
        var beginsAlike = isAsDeclared
        // Most packets set nothing.
        if !found.own.isEmpty {
            linear.merge(found.own) { $1 }
            beginsAlike = declared.merging(found.own) { $1 } == linear
            isAsDeclared = linear == declared
            if let first, first != linear { varies = true }
        }
        first = first ?? linear
        if found.isOrdered || count(found.counted) { varies = true }
        return Entry(beginsAlike: beginsAlike && !found.needsEarlier, makesNoPicture: found.makesNoPicture)
    }

    /// Whether what is counted is not what it was at the first packet.
    private mutating func count(_ counted: UInt64) -> Bool {
        defer { firstCount = firstCount ?? counted }
        return firstCount.map { $0 != counted } ?? false
    }
}

/// The facts in a packet.
struct PacketFacts {
    /// What it sets in any decoder.
    var own: DecoderMemory.Facts = [:]
    /// What a decoder has counted that has seen all packets before, where that may not vary.
    var counted: UInt64 = 0
    /// Whether it says itself that it goes on from earlier packets.
    var needsEarlier = false
    /// Whether it makes no picture.
    var makesNoPicture = false
    /// Whether its decoder must see the packets one after the other.
    var isOrdered = false
}

/// Finds the facts in a codec's packets.
protocol PacketFactReader: Sendable {
    /// Returns what every decoder knows before its first packet.
    func declared(_ extradata: Span<UInt8>) -> DecoderMemory.Facts
    /// Returns what a packet sets.
    mutating func read(_ packet: Span<UInt8>) -> PacketFacts
}

extension PacketFactReader {
    func declared(_ extradata: Span<UInt8>) -> DecoderMemory.Facts { [:] }
}

extension Span<UInt8> {
    /// A number that stands for the bytes (FNV-1a).
    var digest: UInt64 {
        var sum: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in indices { sum = (sum ^ UInt64(self[index])) &* 0x100_0000_01b3 }
        return sum
    }

    /// Whether the bytes from a place on are a text.
    package func has(_ text: String, at place: Int = 0) -> Bool {
        guard place >= 0, text.utf8.count <= count - place else { return false }
        var next = place
        for byte in text.utf8 {
            guard self[next] == byte else { return false }
            next += 1
        }
        return true
    }

    /// A big-endian number of two or four bytes; `nil` if it is not all there.
    package func bigEndian(at place: Int, bytes: Int) -> Int? {
        guard place >= 0, bytes <= count - place else { return nil }
        return (0..<bytes).reduce(0) { $0 << 8 | Int(self[place + $1]) }
    }
}
