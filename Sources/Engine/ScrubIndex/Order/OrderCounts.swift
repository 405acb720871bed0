internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

/// Reads picture order counts from the headers of samples, one group of pictures at a time.
struct OrderCounts {
    /// An order count and its coded video sequence.
    struct Place: Comparable {
        var sequence: Int
        var count: Int
        static let zero = Place(sequence: 0, count: 0)
        static func < (a: Place, b: Place) -> Bool { (a.sequence, a.count) < (b.sequence, b.count) }
    }

    let pictures: CodedPictures
    let facts: StreamFacts
    let file: MediaSource
    private var known: [Int: Place] = [:]
    /// The pictures that have been read, and the parser after the last of them.
    private var read = 0..<0
    private var parser: PictureParser?
    private var sequence = 0
    /// The encoder mistakes that decoders imitate from the first picture on.
    private var firstImitation: Int?
    /// Whether a picture names an encoder with different mistakes than the first one; tables do not show where it
    /// begins.
    private(set) var changesEncoder = false

    private let headSize: Int

    /// - Parameter headSize: the number of bytes of a sample to read first; by default enough for nearly all headers
    ///   before the first slice.
    init(pictures: CodedPictures, facts: StreamFacts, file: MediaSource, headSize: Int = 64 << 10) {
        self.headSize = headSize
        self.pictures = pictures
        self.facts = facts
        self.file = file
    }

    /// Returns the counts of pictures from the keyframe at or before `first`; pictures that cannot be read have none.
    mutating func counts(from first: Int, through last: Int) -> [Int: Place] {
        // The pictures so far begin with a keyframe. If no other follows, that one is used, however far back.
        let isAfterKnown = parser != nil && !read.isEmpty && first >= read.lowerBound
        let lowest = isAfterKnown ? read.lowerBound : 0
        let key =
            (lowest...first).last { pictures.flags[$0].contains(.key) } ?? (isAfterKnown ? read.lowerBound : first)
        if parser == nil || !(read.lowerBound...read.upperBound).contains(key) {
            let description = pictures.descriptions.isEmpty ? 0 : Int(pictures.descriptions[key])
            parser = PictureParser(codec: facts.codec, extradata: facts.descriptions[description].extradata)
            known = [:]
            read = key..<key
        }
        while read.upperBound <= last {
            let picture = read.upperBound
            read = read.lowerBound..<picture + 1
            guard let coded = parse(picture) else { continue }
            if picture == 0 { firstImitation = coded.imitation }
            if coded.x264Build != nil, let firstImitation, coded.imitation != firstImitation { changesEncoder = true }
            if coded.startsSequence { sequence += 1 }
            if let count = coded.orderCount { known[picture] = Place(sequence: sequence, count: count) }
        }
        return known
    }

    /// Parses a picture. It reads only the start of long samples if that is enough. An unreliable order count is
    /// omitted.
    private mutating func parse(_ picture: Int) -> CodedPicture? {
        guard
            var head = SampleHead(
                offset: pictures.offsets[picture], size: pictures.sizes[picture], firstRead: headSize, file: file)
        else { return nil }
        if !head.isWhole {
            guard var trial = parser else { return nil }
            let coded = trial.parse(head.bytes.span)
            // The parser reports the truncation. A frame's order count is in its first slice; if a sample has two
            // fields, the second would be missed.
            if coded.orderCount != nil, coded.structure == .frame {
                parser = trial
                return coded
            }
            guard head.readLongest(), head.isWhole else { return nil }
        }
        guard var coded = parser?.parse(head.bytes.span) else { return nil }
        if !coded.isUnderstood { coded.orderCount = nil }
        return coded
    }
}
