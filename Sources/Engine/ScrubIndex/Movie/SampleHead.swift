package import ScrubBitstream
package import ScrubFileIO
internal import ScrubBase

/// The first bytes of a sample. More are read until all headers are included.
package struct SampleHead {
    /// The maximum offset of a header in a sample, so that a false size of a gigabyte costs nothing.
    private static let limit = 16 << 20
    /// The factor by which more bytes are read if the available ones are not enough.
    private static let growth = 16
    /// The number of bytes that are read first to classify a sample; nearly all headers and messages fit.
    private static let usualSize = 16 << 10
    /// The same for a remote file: still enough for the messages of most, and available with the first bytes of the
    /// file.
    private static let usualRemoteSize = 4 << 10

    private let file: MediaSource
    private let offset: Int64
    private let size: Int
    private(set) var bytes: [UInt8]

    /// Reads the first bytes of a sample, at most `firstRead`; `nil` if they cannot be read.
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
    /// - Returns: false if reading fails, or if no more is ever read.
    mutating func readMore() -> Bool { !isLongest && read(min(longest, bytes.count * SampleHead.growth)) }

    /// Reads the maximum number of bytes: the whole sample, if it is not absurdly long.
    ///
    /// - Returns: false if reading fails.
    mutating func readLongest() -> Bool { read(longest) }

    private mutating func read(_ count: Int) -> Bool {
        guard let longer = try? file.read(at: offset, count: count) else { return false }
        bytes = longer
        return true
    }

    /// Returns whether a decoder that reaches an open restart of HEVC from earlier pictures may still hold a picture
    /// with the same order count, and therefore drop the restart.
    ///
    /// - Parameter samples: the locations of the restart and of the pictures before it in the file, in decode order.
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

    /// Reads as much of a sample as its header needs, and returns the facts of its picture, as if the stream began
    /// there.
    ///
    /// - Returns: `nil` if the bytes cannot be read or contain no readable picture.
    package static func examine(
        offset: Int64, size: UInt32, codec: VideoCodec, extradata: [UInt8], file: MediaSource
    ) -> CodedPicture? {
        let parser = PictureParser(codec: codec, extradata: extradata)
        let usual = file.isRemote ? usualRemoteSize : usualSize
        guard var head = SampleHead(offset: offset, size: size, firstRead: usual, file: file) else { return nil }
        while true {
            switch parser.examine(sampleHead: head.bytes.span, isWhole: head.isWhole) {
            case .picture(let picture):
                // An H.264 recovery point is clean only if all its slices are intra coded: the last slice may not be.
                if codec != .h264 || picture.randomAccess != .open || head.isLongest { return picture }
                guard head.readLongest() else { return nil }
            case .unreadable: return nil
            case .needsMoreBytes: guard head.readMore() else { return nil }
            }
        }
    }
}
