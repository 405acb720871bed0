internal import ScrubFileIO
internal import ScrubLibAV
public import ScrubBase

/// A sink that writes YUV4MPEG2, the raw video format that encoders and filters read from a pipe. For a clip with a
/// constant rate and a supported pixel format, the output is byte-for-byte identical to that of
/// `ffmpeg -i FILE -f yuv4mpegpipe -`.
///
/// The first picture determines the stream's size, pixel format, range and aspect ratio. Pictures of later items are
/// scaled to fit, with black bars if necessary. Formats that `ffmpeg` rejects (RGB, `nv12`, alpha) are converted to the
/// nearest supported format, or rejected if ``Options/isStrict`` is set. For a frame without a picture, the sink writes
/// the previous picture again, or a black picture if there is no previous one.
///
/// Only frames of kind ``PlayerFrame/Kind/presented`` are written. The format has a single frame rate and no
/// timestamps. If a medium has a variable rate, every frame is written once, and the file at ``Options/timesPath``
/// records the frames' times.
///
/// A file appears under its name only after ``finish()`` has completed it. If a reader closes the pipe, the sink throws
/// an error whose ``ScrubError/isClosedByReader`` is true, and no signal is raised.
///
/// Cost: each picture is copied, which takes 0.5 ms for 8-bit 1080p. Memory: a copy of the last picture.
public final class Y4MSink: FrameSink {
    /// Options for a stream.
    public struct Options: Sendable, Hashable {
        /// The frame rate in the header; `nil`, the default, for the first item's rate.
        public var frameRate: Rational?
        /// Whether to reject unsupported pixel formats instead of converting them. Default false.
        public var isStrict: Bool
        /// Whether to rotate pictures as the container specifies, as ffmpeg does by default. Default true.
        public var appliesOrientation: Bool
        /// The path of a text file for the frames' times, if any, in "timestamp format v2". It has one line per frame:
        /// the playback time before the frame in milliseconds, rounded to the nearest nanosecond.
        public var timesPath: String?
        /// Whether to replace files that no earlier sink wrote. Default false. A file that is being read is never
        /// replaced.
        public var replacesFiles: Bool

        /// Creates options.
        public init(
            frameRate: Rational? = nil, isStrict: Bool = false, appliesOrientation: Bool = true,
            timesPath: String? = nil, replacesFiles: Bool = false
        ) {
            (self.frameRate, self.isStrict) = (frameRate, isStrict)
            (self.appliesOrientation, self.timesPath) = (appliesOrientation, timesPath)
            self.replacesFiles = replacesFiles
        }
    }

    fileprivate struct State {
        var output: ByteOutput
        var times: ByteOutput?
        var pictures: StreamPictures
        var buffer: [UInt8] = []
        /// The number of frames without a picture before the first picture.
        var early = 0
        var header: String?
        var isFinished = false
    }

    /// The options of the stream.
    public let options: Options
    private let state: Locked<State>
    private let counts = Locked((written: 0, repeated: 0))

    /// Creates a sink that writes to a path: a new file, or an existing named pipe or device.
    ///
    /// - Throws: `inputOutput` if the path cannot be written to; `usage` if the rate is not above 0, or if the path
    ///   leads to a file that must not be replaced.
    public convenience init(path: String, options: Options = .init()) throws(ScrubError) {
        let output = try OutputFile(path, .stream, replacesFiles: options.replacesFiles)
        try self.init(to: try ByteOutput(output), options)
    }

    /// Creates a sink that writes to a descriptor, such as the end of a pipe. The caller still owns the descriptor and
    /// must close it.
    ///
    /// - Parameter name: the output's name in errors.
    /// - Throws: the errors of ``init(path:options:)``.
    public convenience init(
        descriptor: Int32, name: String = "standard output", options: Options = .init()
    ) throws(ScrubError) {
        let output = ByteOutput(descriptor: descriptor, name: name)
        output.widenPipe()
        try self.init(to: output, options)
    }

    private init(to output: sending ByteOutput, _ options: Options) throws(ScrubError) {
        if let rate = options.frameRate, rate <= .zero {
            throw ScrubError(.usage, "the frame rate \(rate) is not valid", advice: "use a rate above 0")
        }
        self.options = options
        let times = try options.timesPath.map { (path) throws(ScrubError) in
            try ByteOutput(try OutputFile(path, .times, replacesFiles: options.replacesFiles))
        }
        try times?.write(Array("# timestamp format v2\n".utf8))
        state = Locked(
            State(
                output: output, times: times,
                pictures: StreamPictures(appliesOrientation: options.appliesOrientation)))
    }

    /// The number of frames written so far.
    public var writtenCount: Int { counts.withLock { $0.written } }
    /// The number of frames written so far that had no picture.
    public var repeatedCount: Int { counts.withLock { $0.repeated } }

    /// Writes a frame.
    ///
    /// - Throws: `inputOutput` if writing fails; `badData` if the picture cannot be converted.
    public func receive(_ frame: PlayerFrame) throws {
        guard frame.kind == .presented else { return }
        let options = options
        let repeats = try state.withLock { (state) throws(ScrubError) in
            try state.write(frame.picture, options)
            try state.times?.write(Array((Y4MSink.milliseconds(frame.presentationTime) + "\n").utf8))
            return frame.picture == nil
        }
        counts.withLock { counts in
            counts.written += 1
            if repeats { counts.repeated += 1 }
        }
    }

    /// Renames the file to its final name.
    ///
    /// - Throws: `inputOutput` if that fails; `badData` if no frame had a picture, because the stream's format is
    ///   unknown in that case.
    public func finish() throws {
        try state.withLock { (state) throws(ScrubError) in
            guard !state.isFinished else { return }
            state.isFinished = true
            guard state.header != nil else {
                throw ScrubError(
                    .badData, "no frame could be decoded, so there is nothing to write", file: state.output.name,
                    advice: "\(term: .verify) shows what is wrong with the file")
            }
            try state.output.finish()
            try state.times?.finish()
        }
    }

    /// Returns seconds as decimal milliseconds, rounded to a nanosecond.
    static func milliseconds(_ seconds: Rational) -> String {
        let twice = Rational.floor(
            Int128(seconds.numerator) * 2_000_000_000 + Int128(seconds.denominator), 2 * Int128(seconds.denominator))
        let (size, sign) = (twice.magnitude, twice < 0 ? "-" : "")
        let rest = String(size % 1_000_000)
        let digits = (String(repeating: "0", count: 6 - rest.count) + rest)
        let decimals = digits.reversed().drop { $0 == "0" }.reversed()
        return sign + String(size / 1_000_000) + (decimals.isEmpty ? "" : "." + String(decimals))
    }
}

extension Y4MSink.State {
    private static let frameLine = Array("FRAME\n".utf8)

    fileprivate mutating func write(_ picture: FramePicture?, _ options: Y4MSink.Options) throws(ScrubError) {
        guard let picture else {
            // The last picture's bytes are still available.
            if header == nil { early += 1 } else { try output.write(buffer) }
            return
        }
        let made = try pictures.upright(picture) { (own) throws(ScrubError) in
            guard let nearest = Y4MFormat.nearest(to: own) else { return nil }
            // From the second picture on, pictures are converted to the first one's format by fitting.
            guard nearest == own || !options.isStrict else {
                throw ScrubError(
                    .badData, "YUV4MPEG2 does not support the pixel format \(own.name)", file: picture.asset.path,
                    advice: "turn off strict mode to convert pictures to \(nearest.name)")
            }
            return nearest
        }
        let frame = try pictures.fitted(made.frame, aspect: made.aspect, of: picture)
        if header == nil { try begin(with: frame, picture, options) }
        pack(frame)
        try output.write(buffer)
    }

    private mutating func begin(
        with frame: SharedFrame, _ picture: FramePicture, _ options: Y4MSink.Options
    ) throws(ScrubError) {
        let isInterlaced = frame.frame.isInterlaced
        let format = Y4MFormat(
            width: frame.frame.width, height: frame.frame.height, pixelFormat: frame.frame.pixelFormat,
            chromaLocation: picture.shared.frame.chromaLocation,
            frameRate: options.frameRate ?? picture.asset.frameRate.rate,
            fields: isInterlaced ? frame.frame.isTopFieldFirst ? .topFirst : .bottomFirst : .progressive,
            sampleAspectRatio: pictures.shape?.sampleAspectRatio,
            isFullRange: frame.frame.colorRange == 0 ? nil : frame.frame.colorRange == 2)
        header = format.header
        try output.write(Array(format.header.utf8))
        guard early > 0, let black = try pictures.black() else { return }
        pack(black)
        for _ in 0..<early { try output.write(buffer) }
    }

    private mutating func pack(_ frame: SharedFrame) {
        buffer.removeAll(keepingCapacity: true)
        buffer.append(contentsOf: Y4MSink.State.frameLine)
        frame.frame.appendPacked(to: &buffer)
    }
}
