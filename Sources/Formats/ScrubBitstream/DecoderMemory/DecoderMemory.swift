/// Decoder state of libavcodec that packets set and that outlasts their own pictures: comments, palettes, tables,
/// switches. For codecs whose key flags are trusted and whose pictures are not parsed.
///
/// A decoder that begins within a stream lacks the state that earlier packets set, and its pictures differ. The facts
/// are kept by name. The facts of a linear decoder are compared with those of a decoder that begins at a packet. The
/// latter has its configuration and what the packet itself sets.
///
/// Cost: reads the first bytes of each packet.
package struct DecoderMemory: Sendable {
    /// Facts by name. Facts with a new decoder's initial value are omitted.
    typealias Facts = [UInt8: UInt64]

    private var reader: any PacketFactReader
    private let declared: Facts
    private var linear: Facts
    private var first: Facts?
    private var firstCount: UInt64?
    private var isAsDeclared = true
    /// Whether the facts changed within the stream. If so, decoders that got different packets produce different
    /// pictures. Several threads do so too, because each thread has its own facts.
    package private(set) var varies = false

    /// - Parameter height: the picture's height in the container.
    /// - Returns: `nil` for codecs without known state that outlasts a key picture.
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

    /// The result for a packet.
    package struct Entry: Sendable, Hashable {
        /// Whether a decoder that begins with the packet has the same state as a linear decoder.
        package var beginsAlike = true
        /// Whether a linear decode does not output a picture for the packet.
        package var makesNoPicture = false
    }

    /// Processes the next packet.
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

    /// Whether the count differs from the count at the first packet.
    private mutating func count(_ counted: UInt64) -> Bool {
        defer { firstCount = firstCount ?? counted }
        return firstCount.map { $0 != counted } ?? false
    }
}

/// The facts in a packet.
struct PacketFacts {
    /// The state that the packet sets in any decoder.
    var own: DecoderMemory.Facts = [:]
    /// The count of a decoder that has read all earlier packets. It must be the same for all packets.
    var counted: UInt64 = 0
    /// Whether the packet itself depends on earlier packets.
    var needsEarlier = false
    /// Whether the packet produces no picture.
    var makesNoPicture = false
    /// Whether the decoder must read the packets in order.
    var isOrdered = false
}

/// Finds the facts in a codec's packets.
protocol PacketFactReader: Sendable {
    /// Returns the facts of every decoder before its first packet.
    func declared(_ extradata: Span<UInt8>) -> DecoderMemory.Facts
    /// Returns the facts in a packet.
    mutating func read(_ packet: Span<UInt8>) -> PacketFacts
}

extension PacketFactReader {
    func declared(_ extradata: Span<UInt8>) -> DecoderMemory.Facts { [:] }
}

extension Span<UInt8> {
    /// A hash of the bytes (FNV-1a).
    var digest: UInt64 {
        var sum: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in indices { sum = (sum ^ UInt64(self[index])) &* 0x100_0000_01b3 }
        return sum
    }

    /// Whether the bytes at a position begin with the given text.
    package func has(_ text: String, at place: Int = 0) -> Bool {
        guard place >= 0, text.utf8.count <= count - place else { return false }
        var next = place
        for byte in text.utf8 {
            guard self[next] == byte else { return false }
            next += 1
        }
        return true
    }

    /// A big-endian number of one, two or four bytes; `nil` if it is truncated.
    package func bigEndian(at place: Int, bytes: Int) -> Int? {
        guard place >= 0, bytes <= count - place else { return nil }
        return (0..<bytes).reduce(0) { $0 << 8 | Int(self[place + $1]) }
    }
}
