/// Limits on the resources that may be used to read a file, regardless of the counts and sizes that the file declares.
///
/// A small file can declare any number of pictures of any size. Each limit is checked before any work that depends on a
/// declared value. If a limit is exceeded, the file or the affected frame is rejected with ``ScrubError/Code/badData``
/// (exit 65). The error names the limit, the value found, and the allowed value. The defaults are large enough for the
/// output of cameras and encoders: 8K video, stills of 100 megapixels, a day of video at 60 pictures per second.
///
/// Independently of these limits, a count in a file is accepted only if the file has enough bytes for it.
public struct MediaLimits: Sendable, Hashable {
    /// The maximum number of streams or tracks in a file. Default 1000, as in libavformat.
    public var maximumStreamCount = 1000
    /// The maximum number of coded pictures in a stream. Default 20 million: almost four days at 60 pictures per
    /// second.
    public var maximumPictureCount = 20_000_000
    /// The maximum size in bytes of a table that is read into memory in one piece, such as a movie box. Default 512
    /// MiB, enough for 100 hours of video.
    public var maximumTableByteCount = 512 << 20
    /// The maximum number of pixels in a picture. Default 2^27 (134 million, or 16,384 x 8,192).
    public var maximumPixelCount = 1 << 27
    /// The maximum size of a decoded picture in bytes. Default 512 MiB; a 16-bit picture of 7680 x 4320 with alpha
    /// takes 253 MiB.
    ///
    /// While a picture is being displayed or encoded, it needs additional memory of up to seven times its size. For
    /// decoders that allocate their own memory (dav1d), the limit applies to the number of pixels instead of bytes.
    public var maximumPictureByteCount = 512 << 20
    /// The maximum total size in bytes of the pictures that a stream's decoder holds at any one time. Default 4 GiB:
    /// twice what 10-bit 8K video needs.
    public var maximumDecoderByteCount = 4 << 30
    /// The maximum size of a coded picture in bytes. Default 256 MiB, more than an uncompressed 16-bit 8K picture with
    /// alpha.
    public var maximumCodedPictureByteCount = 256 << 20
    /// The maximum time for reading or decoding one coded picture. Default one minute.
    ///
    /// A decoder cannot be interrupted while it decodes a picture. If a picture takes longer than the limit, it is
    /// rejected when the decoder returns. In a sandbox, the decoder's process is killed instead.
    public var maximumPictureTime = Duration.seconds(60)
    /// The maximum time for opening a file or producing one frame. Default one hour, because a frame can depend on
    /// every picture before it. Opening is allowed one additional second for every 4 MiB of the file, because the whole
    /// file may have to be read from a slow disk.
    public var maximumRequestTime = Duration.seconds(3600)

    /// The maximum number of bytes that one run may write. Default 64 GiB, enough for 100,000 unencoded thumbnails of
    /// 480 x 270 and the files made from them.
    ///
    /// A set is rejected before decoding starts if its pictures would take too many bytes. Pictures that are written
    /// one by one are counted as they are written.
    public var maximumOutputByteCount = 64 << 30
    /// The maximum number of files of one medium, such as segments of a playlist, that are open at the same time.
    /// Default 16. Exceeding this limit is not an error: the least recently read file is closed.
    public var maximumOpenFileCount = 16

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
            case .streams: "maximumStreamCount"
            case .pictures: "maximumPictureCount"
            case .tableBytes: "maximumTableByteCount"
            case .pixels: "maximumPixelCount"
            case .pictureBytes: "maximumPictureByteCount"
            case .decoderBytes: "maximumDecoderByteCount"
            case .codedBytes: "maximumCodedPictureByteCount"
            case .pictureTime: "maximumPictureTime"
            case .requestTime: "maximumRequestTime"
            case .outputBytes: "maximumOutputByteCount"
            case .openFiles: "maximumOpenFileCount"
            }
        }

        /// Whether the limit is a duration.
        package var isTime: Bool { self == .pictureTime || self == .requestTime }
    }

    /// The value of a limit. A duration is in seconds, rounded up.
    package subscript(name: Name) -> Int {
        get {
            switch name {
            case .streams: maximumStreamCount
            case .pictures: maximumPictureCount
            case .tableBytes: maximumTableByteCount
            case .pixels: maximumPixelCount
            case .pictureBytes: maximumPictureByteCount
            case .decoderBytes: maximumDecoderByteCount
            case .codedBytes: maximumCodedPictureByteCount
            case .pictureTime: maximumPictureTime.wholeSeconds
            case .requestTime: maximumRequestTime.wholeSeconds
            case .outputBytes: maximumOutputByteCount
            case .openFiles: maximumOpenFileCount
            }
        }
        set {
            switch name {
            case .streams: maximumStreamCount = newValue
            case .pictures: maximumPictureCount = newValue
            case .tableBytes: maximumTableByteCount = newValue
            case .pixels: maximumPixelCount = newValue
            case .pictureBytes: maximumPictureByteCount = newValue
            case .decoderBytes: maximumDecoderByteCount = newValue
            case .codedBytes: maximumCodedPictureByteCount = newValue
            case .pictureTime: maximumPictureTime = .seconds(newValue)
            case .requestTime: maximumRequestTime = .seconds(newValue)
            case .outputBytes: maximumOutputByteCount = newValue
            case .openFiles: maximumOpenFileCount = newValue
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
        "if you trust the file, \(term: .raise(name, to: value))"
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
