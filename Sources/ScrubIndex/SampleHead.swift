package import Bitstream
package import FileIO
internal import ScrubBase

/// The first bytes of a sample, which say what kind of picture it is.
package enum SampleHead {
    /// Read at first; nearly every picture's headers and messages fit.
    private static let firstRead = 16 << 10
    /// No header lies further inside a sample than this; a claim of a gigabyte must not cost one.
    private static let limit = 16 << 20

    /// Reads as much of a sample as its header needs, and says what picture it is, as if the stream began there.
    ///
    /// - Returns: nothing when the bytes can't be read or hold no readable picture.
    package static func examine(
        offset: Int64, size: UInt32, codec: VideoCodec, extradata: [UInt8], file: FileSource
    ) -> CodedPicture? {
        let parser = PictureParser(codec: codec, extradata: extradata)
        let whole = Int(size)
        var count = min(whole, firstRead)
        while true {
            guard let bytes = try? file.read(at: offset, count: count) else { return nil }
            switch parser.examine(sampleHead: bytes.span, isWhole: count == whole) {
            case .picture(let picture):
                // An H.264 recovery point is clean only if all its slices are intra coded: the last may tell otherwise.
                let isDecided = codec != .h264 || picture.randomAccess != .open || count == min(whole, limit)
                if isDecided { return picture }
                count = min(whole, limit)
            case .unreadable: return nil
            case .needsMoreBytes:
                guard count < min(whole, limit) else { return nil }
                count = min(whole, limit, count * 16)
            }
        }
    }
}
