/// The most that a file may cost, whatever the file claims.
///
/// A small file can claim any number of pictures, of any size. Each limit is checked before anything is done for the
/// number that a file claims. Beyond it the file, or the one frame, is refused with ``ScrubError/Code/badData`` (exit
/// 65). The error names the limit, the value that was found, and the one that is allowed. The defaults are large enough
/// for the output of cameras and encoders: 8K video, stills of 100 megapixels, a day of film at 60 pictures a second.
///
/// Beside these, no number of a file is believed for which it spends no bytes.
public struct MediaLimits: Sendable, Hashable {
    /// The most streams or tracks of a file. Default 1000, as libavformat's own.
    public var streamCount = 1000
    /// The most coded pictures of a stream. Default 20 million: four days at 60 a second.
    public var pictureCount = 20_000_000
    /// The most bytes of tables that are read into memory at once: a movie box. Default 512 MiB, of 100 hours of film.
    public var tableByteCount = 512 << 20
    /// The most pixels of a picture. Default 2^27: 134 million, 16,384 x 8,192.
    public var pixelCount = 1 << 27
    /// The most bytes that one decoded picture may take. Default 512 MiB: pictures of 7680 x 4320 with alpha and 16
    /// bits have 253.
    ///
    /// Showing or encoding a picture takes up to seven times as much beside it, while it lasts. Decoders with memory of
    /// their own (dav1d) count pixels alone.
    public var pictureByteCount = 512 << 20
    /// The most bytes of all pictures that a stream's decoder holds at a time. Default 4 GiB: twice the bytes of 8K
    /// with ten bits.
    public var decoderByteCount = 4 << 30
    /// The most bytes of one coded picture. Default 256 MiB, more than a raw one of 8K with alpha and 16 bits has.
    public var codedPictureByteCount = 256 << 20
    /// The longest time that reading or decoding one coded picture may take. Default a minute.
    ///
    /// A decoder cannot be interrupted within a picture: a picture that took longer is refused when it returns. In a
    /// sandbox its process is ended.
    public var pictureTime = Duration.seconds(60)
    /// The longest time that opening a file or making one frame may take. Default an hour: a frame can depend on all
    /// that is before it. Opening has a second more for each 4 MiB of the file, for passes over all of it from slow
    /// disks.
    public var requestTime = Duration.seconds(3600)

    /// The most bytes that one run writes. Default 64 GiB: 100,000 thumbnails of 480 x 270 before their sheets are
    /// encoded, with room for the files made of them.
    ///
    /// A set is refused by the bytes that its pictures take before one is decoded; pictures that are written one by one
    /// are counted.
    public var outputByteCount = 64 << 30
    /// The most files of one medium that are open at a time: segments of a playlist. Default 16. Nothing is refused for
    /// it: the file that was read longest ago is closed.
    public var openFileCount = 16

    /// Creates the default limits.
    public init() {}
}

extension MediaLimits {
    /// One of the limits, by the name that `scrub --limit NAME=VALUE` has for it.
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

        /// The library's name for it.
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

        /// Whether the limit is a length of time.
        package var isTime: Bool { self == .pictureTime || self == .requestTime }
    }

    /// A limit's number; a time's is in seconds, rounded up.
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

    /// Refuses a number beyond a limit.
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

    /// Returns the error for a number beyond a limit; `nil` if the number was not counted to its end.
    package func refusal(
        _ name: Name, _ found: Int?, _ what: String, place: ScrubError.Place? = nil
    ) -> ScrubError {
        let amount = found.map { "\($0) is" } ?? "it is"
        return ScrubError(
            .badData, "\(what): \(amount) more than the limit \(name.rawValue) of \(self[name])", place: place,
            advice: MediaLimits.advice(name, found),
            fact: .limit(name: name.rawValue, allowed: self[name], found: found))
    }

    /// Returns the error for work that takes too long.
    package func timeRefusal(_ name: Name, _ what: String) -> ScrubError {
        let seconds = self[name]
        return ScrubError(
            .badData, "\(what): it takes longer than the limit \(name.rawValue) of \(seconds) s",
            advice: MediaLimits.advice(name, nil), fact: .limit(name: name.rawValue, allowed: seconds, found: nil))
    }

    /// - Parameter value: the value that would be enough; `nil` if it is not known.
    private static func advice(_ name: Name, _ value: Int?) -> Wording {
        "if you trust it, \(term: .raise(name, to: value))"
    }

    /// Refuses a picture's size.
    ///
    /// - Throws: `badData`, before any memory is taken for it.
    package func check(width: Int, height: Int) throws(ScrubError) {
        guard width > 0, height > 0 else { return }
        let (pixels, isMany) = width.multipliedReportingOverflow(by: height)
        try check(.pixels, isMany ? .max : pixels, "a picture of \(width)x\(height) pixels")
    }
}

extension Duration {
    /// Seconds, a part of one as a whole one.
    fileprivate var wholeSeconds: Int {
        let parts = components
        return Int(clamping: parts.seconds) + (parts.attoseconds > 0 ? 1 : 0)
    }
}
