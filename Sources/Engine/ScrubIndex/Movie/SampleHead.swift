package import ScrubBitstream
package import ScrubFileIO
internal import ScrubBase

/// The first bytes of a sample, of which more are read while its headers are not all among them.
package struct SampleHead {
    /// No header is further inside a sample than this; a claim of a gigabyte must not cost one.
    private static let limit = 16 << 20
    /// The factor by which more bytes are read if those at hand don't say enough.
    private static let growth = 16
    /// Read at first to classify a sample; nearly every picture's headers and messages fit.
    private static let usualSize = 16 << 10
    /// The same of a remote file: still enough for the messages of most, and there with the file's first
    /// bytes.
    private static let usualRemoteSize = 4 << 10

    private let file: MediaSource
    private let offset: Int64
    private let size: Int
    private(set) var bytes: [UInt8]

    /// Reads the first bytes of a sample, at most `firstRead`; `nil` when they can't be read.
    init?(offset: Int64, size: UInt32, firstRead: Int, file: MediaSource) {
        let count = min(Int(size), firstRead, SampleHead.limit)
        guard let bytes = try? file.read(at: offset, count: count) else { return nil }
        (self.file, self.offset, self.size, self.bytes) = (file, offset, Int(size), bytes)
    }

    /// Whether the bytes are the whole sample.
    var isWhole: Bool { bytes.count == size }

    /// Whether no more of the sample is ever read.
    private var isLongest: Bool { bytes.count == longest }

    private var longest: Int { min(size, SampleHead.limit) }

    /// Reads further into the sample.
    ///
    /// - Returns: false when that fails, or when no more is ever read.
    mutating func readMore() -> Bool { !isLongest && read(min(longest, bytes.count * SampleHead.growth)) }

    /// Reads as far as is ever read: all of the sample, if it is not absurdly long.
    ///
    /// - Returns: false when that fails.
    mutating func readLongest() -> Bool { read(longest) }

    private mutating func read(_ count: Int) -> Bool {
        guard let longer = try? file.read(at: offset, count: count) else { return false }
        bytes = longer
        return true
    }

    /// Whether a decoder that reaches an open restart of HEVC from earlier pictures may still hold a picture with the
    /// same order count, and therefore drop the restart.
    ///
    /// - Parameter samples: the locations of the restart and of the pictures before it in the file, in decoding order.
    package static func repeatsOrder(
        _ samples: [(offset: Int64, size: UInt32)], extradata: [UInt8], file: MediaSource
    ) -> Bool {
        var parser = PictureParser(codec: .hevc, extradata: extradata)
        parser.expectEarlier()
        var repeats = false
        for sample in samples {
            guard var head = SampleHead(offset: sample.offset, size: sample.size, firstRead: headerSize, file: file)
            else { return false }
            while true {
                var trial = parser
                let picture = trial.parse(head: head.bytes.span)
                if picture.orderCount != nil || !head.readMore() {
                    (parser, repeats) = (trial, picture.repeatsOrder)
                    break
                }
            }
        }
        return repeats
    }

    /// The number of bytes that nearly always include a slice's references.
    private static let headerSize = 512

    /// Reads as much of a sample as its header needs, and returns its picture's facts, as if the stream began there.
    ///
    /// - Returns: `nil` when the bytes can't be read or hold no readable picture.
    package static func examine(
        offset: Int64, size: UInt32, codec: VideoCodec, extradata: [UInt8], file: MediaSource
    ) -> CodedPicture? {
        let parser = PictureParser(codec: codec, extradata: extradata)
        let usual = file.isRemote ? usualRemoteSize : usualSize
        guard var head = SampleHead(offset: offset, size: size, firstRead: usual, file: file) else { return nil }
        while true {
            switch parser.examine(sampleHead: head.bytes.span, isWhole: head.isWhole) {
            case .picture(let picture):
                // An H.264 recovery point is clean only if all its slices are intra coded: the last may tell otherwise.
                if codec != .h264 || picture.randomAccess != .open || head.isLongest { return picture }
                guard head.readLongest() else { return nil }
            case .unreadable: return nil
            case .needsMoreBytes: guard head.readMore() else { return nil }
            }
        }
    }
}
