/// Limits on the resources that reading a file may use, whatever numbers the file declares.
///
/// A small file can declare any number of pictures of any size. Each limit is checked before any work that depends on a
/// declared number. If a limit is exceeded, the file or the affected frame is rejected with ``ScrubError/Code/badData``
/// (exit 65). The error names the limit, the value found, and the allowed value. The defaults are large enough for the
/// output of cameras and encoders: 8K video, stills of 100 megapixels, a day of video at 60 pictures per second.
///
/// In addition, a number in a file is trusted only if the file contains the corresponding bytes.
public struct MediaLimits: Sendable, Hashable {
    /// The maximum number of streams or tracks in a file. Default 1000, as in libavformat.
    public var streamCount = 1000
    /// The maximum number of coded pictures in a stream. Default 20 million: four days at 60 pictures per second.
    public var pictureCount = 20_000_000
    /// The maximum size in bytes of tables that are read into memory at once, such as a movie box. Default 512 MiB,
    /// which corresponds to 100 hours of video.
    public var tableByteCount = 512 << 20
    /// The maximum number of pixels in a picture. Default 2^27: 134 million, 16,384 x 8,192.
    public var pixelCount = 1 << 27
    /// The maximum size of a decoded picture in bytes. Default 512 MiB; a 16-bit picture of 7680 x 4320 with alpha
    /// takes 253 MiB.
    ///
    /// Showing or encoding a picture temporarily takes up to seven times as much additional memory. For decoders with
    /// their own memory (dav1d), only the pixels count.
    public var pictureByteCount = 512 << 20
    /// The maximum total size in bytes of the pictures that a stream's decoder holds at any one time. Default 4 GiB:
    /// twice what 10-bit 8K needs.
    public var decoderByteCount = 4 << 30
    /// The maximum size of a coded picture in bytes. Default 256 MiB, more than an uncompressed 16-bit 8K picture with
    /// alpha.
    public var codedPictureByteCount = 256 << 20
    /// The maximum time for reading or decoding one coded picture. Default one minute.
    ///
    /// A decoder cannot be interrupted within a picture. A picture that took longer is rejected when the decoder
    /// returns. In a sandbox, its process is killed.
    public var pictureTime = Duration.seconds(60)
    /// The maximum time for opening a file or making one frame. Default one hour, because a frame can depend on
    /// everything before it. Opening may take one second longer for every 4 MiB of the file, because it may read the
    /// whole file from a slow disk.
    public var requestTime = Duration.seconds(3600)

    /// The maximum number of bytes that one run may write. Default 64 GiB: 100,000 thumbnails of 480 x 270 before their
    /// sheets are encoded, with room for the files made from the thumbnails.
    ///
    /// A set is rejected before decoding if its pictures would take too many bytes; pictures that are written one by
    /// one are counted.
    public var outputByteCount = 64 << 30
    /// The maximum number of files of one medium that are open at the same time, such as segments of a playlist.
    /// Default 16. Exceeding it is not an error: the least recently read file is closed.
    public var openFileCount = 16

    /// Creates the default limits.
    public init() {}
}

extension MediaLimits {
    /// A limit, named as in `scrub --limit NAME=VALUE`.
    package enum Name: String, CaseIterable, Sendable {
        case streams
        case pictures
        case tableBytes = "table-bytes"
        case pixels
        case pictureBytes = "picture-bytes"
        case decoderBytes = "decoder-bytes"
        case codedBytes = "coded-bytes"
        case pictureTime = "picture-time"
        case requestTime = "request-time"
        case outputBytes = "output-bytes"
        case openFiles = "open-files"

        /// The limit's name in the library.
        package var member: String {
            switch self {
            case .streams: "streamCount"
            case .pictures: "pictureCount"
            case .tableBytes: "tableByteCount"
            case .pixels: "pixelCount"
            case .pictureBytes: "pictureByteCount"
            case .decoderBytes: "decoderByteCount"
            case .codedBytes: "codedPictureByteCount"
            case .pictureTime: "pictureTime"
            case .requestTime: "requestTime"
            case .outputBytes: "outputByteCount"
            case .openFiles: "openFileCount"
            }
        }

        /// Whether the limit is a duration.
        package var isTime: Bool { self == .pictureTime || self == .requestTime }
    }

    /// The value of a limit. A duration is in seconds, rounded up.
    package subscript(name: Name) -> Int {
        get {
            switch name {
            case .streams: streamCount
            case .pictures: pictureCount
            case .tableBytes: tableByteCount
            case .pixels: pixelCount
            case .pictureBytes: pictureByteCount
            case .decoderBytes: decoderByteCount
            case .codedBytes: codedPictureByteCount
            case .pictureTime: pictureTime.wholeSeconds
            case .requestTime: requestTime.wholeSeconds
            case .outputBytes: outputByteCount
            case .openFiles: openFileCount
            }
        }
        set {
            switch name {
            case .streams: streamCount = newValue
            case .pictures: pictureCount = newValue
            case .tableBytes: tableByteCount = newValue
            case .pixels: pixelCount = newValue
            case .pictureBytes: pictureByteCount = newValue
            case .decoderBytes: decoderByteCount = newValue
            case .codedBytes: codedPictureByteCount = newValue
            case .pictureTime: pictureTime = .seconds(newValue)
            case .requestTime: requestTime = .seconds(newValue)
            case .outputBytes: outputByteCount = newValue
            case .openFiles: openFileCount = newValue
            }
        }
    }

    /// Rejects a number beyond a limit.
    ///
    /// - Parameters:
    ///   - what: the thing that has the number, as the subject of a sentence: "a picture of 15000x15000".
    ///   - place: the place in the file.
    /// - Throws: `badData` with the limit's name, the value found, the value allowed, and the option that raises it.
    package func check(
        _ name: Name, _ found: Int, _ what: @autoclosure () -> String, place: ScrubError.Place? = nil
    ) throws(ScrubError) {
        guard found > self[name] else { return }
        throw refusal(name, found, what(), place: place)
    }

    /// Returns the error for a number beyond a limit. The number is `nil` if counting was not completed.
    package func refusal(
        _ name: Name, _ found: Int?, _ what: String, place: ScrubError.Place? = nil
    ) -> ScrubError {
        let amount = found.map { "\($0)" } ?? "it"
        return ScrubError(
            .badData, "\(what): \(amount) exceeds the \(name.rawValue) limit of \(self[name])", place: place,
            advice: MediaLimits.advice(name, found),
            fact: .limit(name: name.rawValue, allowed: self[name], found: found))
    }

    /// Returns the error for work that took too long.
    package func timeRefusal(_ name: Name, _ what: String) -> ScrubError {
        let seconds = self[name]
        return ScrubError(
            .badData, "\(what): it takes longer than the \(name.rawValue) limit of \(seconds) s",
            advice: MediaLimits.advice(name, nil), fact: .limit(name: name.rawValue, allowed: seconds, found: nil))
    }

    /// Returns the advice for a limit.
    ///
    /// - Parameter value: the value that would be enough; `nil` if it is unknown.
    private static func advice(_ name: Name, _ value: Int?) -> Wording {
        "if you trust it, \(term: .raise(name, to: value))"
    }

    /// Rejects an invalid picture size.
    ///
    /// - Throws: `badData`, before any memory is allocated for the picture.
    package func check(width: Int, height: Int) throws(ScrubError) {
        guard width > 0, height > 0 else { return }
        let (pixels, isMany) = width.multipliedReportingOverflow(by: height)
        try check(.pixels, isMany ? .max : pixels, "a picture of \(width)x\(height) pixels")
    }
}

extension Duration {
    /// The duration in seconds, rounded up.
    fileprivate var wholeSeconds: Int {
        let parts = components
        return Int(clamping: parts.seconds) + (parts.attoseconds > 0 ? 1 : 0)
    }
}
