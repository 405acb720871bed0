internal import Bitstream
internal import FileIO
internal import LibAV
internal import ScrubBase

/// Tells times that are presentation times from those of careless muxers, which write when a picture is decoded.
enum ReorderCheck {
    /// Encoders show a picture out of its turn well within this many, if they ever do.
    private static let run = 24

    /// Whether pictures whose times ascend in decode order are really shown in that order.
    ///
    /// The sequence set says so, or else the order counts of pictures in three places do: at the beginning, in the
    /// middle and at the end. Where the times don't ascend they are no decode times, and nothing is read.
    static func timesAreBelievable(_ pictures: CodedPictures, facts: StreamFacts, file: FileSource) -> Bool {
        guard facts.codec == .h264 || facts.codec == .hevc, let description = facts.descriptions.first else {
            return true
        }
        let times = pictures.presentationTimes
        for picture in times.indices.dropFirst() where times[picture] < times[picture - 1] { return true }
        let parser = PictureParser(codec: facts.codec, extradata: description.extradata)
        if parser.reorderLimit == 0 { return true }
        var counts = OrderCounts(pictures: pictures, facts: facts, file: file, headSize: 2 << 10)
        for start in Set([0, pictures.count / 2, max(0, pictures.count - run)]).sorted() {
            // Order counts mean something from a restart on, which is to be near.
            let key = (0...start).last { pictures.flags[$0].contains(.key) } ?? 0
            let pictures = key..<min(pictures.count, key + run)
            let found = counts.counts(from: key, through: pictures.upperBound - 1)
            for (earlier, later) in zip(pictures, pictures.dropFirst()) {
                guard let first = found[earlier], let second = found[later], first < second else { return false }
            }
        }
        return true
    }
}
