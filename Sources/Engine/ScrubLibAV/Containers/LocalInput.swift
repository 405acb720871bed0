internal import CScrubFFmpeg
internal import CScrubShims
internal import ScrubBase

/// An input in this process: the owner of an `AVFormatContext`.
///
/// Use from one thread at a time; it may move between threads.
@safe final class LocalInput: InputImplementation {
    var context: UnsafeMutablePointer<AVFormatContext>
    private let log = unsafe Log()
    /// The source of the bytes; retained because the callbacks have a plain pointer to it.
    private let reading: any InputBytes

    /// Opens a source, reading only the container's header.
    ///
    /// No other file is ever opened. A file that references others (an HLS playlist, a list for `concat`, an SDP) is
    /// rejected, because its author would determine which other files and addresses are opened.
    ///
    /// - Parameters:
    ///   - name: the name of the source. Its suffix helps to detect formats without a signature.
    ///   - readsAll: whether the whole source is read, so that long reads cost less.
    convenience init(_ source: any ByteSource, name: String, readsAll: Bool = false) throws(AVError) {
        // With the explicit protocol, a name such as "concat:a|b" or "http://x" remains a file name.
        try self.init(
            InputReading(source, block: readsAll ? LocalInput.longBlock : 0),
            name: "file:" + (name.isNetworkAddress ? name.mediumName : name), format: nil)
    }

    /// The size of a long read, which fits in a processor's second-level cache.
    private static let longBlock: Int32 = 256 << 10

    /// Opens a file in memory.
    ///
    /// - Parameter file: the original file from which it was made.
    convenience init(bytes: [UInt8], format: String, of file: any ByteSource) throws(AVError) {
        try self.init(InputReading(MemorySource(bytes), of: file), name: nil, format: format)
    }

    /// - Parameters:
    ///   - name: the name with its protocol, or `nil`.
    ///   - format: the demuxer; `nil` to detect it.
    init(_ reading: any InputBytes, name: String?, format: String?) throws(AVError) {
        self.reading = reading
        var opened: UnsafeMutablePointer<AVFormatContext>?
        let streams = Int32(clamping: reading.limits.maximumStreamCount)
        reading.begin(isElementary: false)
        let status = log.listen { unsafe scrub_input_open(reading.callbacks, name, format, streams, &opened) }
        try check(status, "avformat_open_input")
        unsafe context = try unsafe allocated(opened, "avformat_open_input")
        let name = unsafe context.pointee.iformat.map { unsafe String(cString: $0.pointee.name) }
        isElementary = LocalInput.isElementary(name ?? "")
    }

    deinit {
        var closing: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        log.listen { unsafe scrub_input_close(&closing) }
        withExtendedLifetime(reading) {}
    }

    /// The demuxer's short name, such as `matroska,webm`.
    var formatName: String { unsafe context.pointee.iformat.map { unsafe String(cString: $0.pointee.name) } ?? "" }

    /// Whether the container's timestamps may jump (`AVFMT_TS_DISCONT`), like those of transport streams.
    var timestampsMayJump: Bool {
        unsafe (context.pointee.iformat?.pointee.flags ?? 0) & AVFMT_TS_DISCONT != 0
    }

    /// Whether the container has no timestamps at all (`AVFMT_NOTIMESTAMPS`), like raw elementary streams.
    var hasNoTimestamps: Bool {
        unsafe (context.pointee.iformat?.pointee.flags ?? 0) & AVFMT_NOTIMESTAMPS != 0
    }

    /// Whether the file consists only of coded pictures, so that the end of each must be searched for.
    private let isElementary: Bool
    static let elementaryFormats: Set<String> = [
        "h264", "hevc", "vvc", "mpegvideo", "m4v", "h263", "h261", "vc1", "cavsvideo", "avs2", "avs3", "dirac", "dnxhd",
        "mjpeg", "obu", "evc",
    ]

    /// Returns whether a format likewise consists of consecutive pictures, such as `jpeg_pipe`.
    static func isElementary(_ name: String) -> Bool { elementaryFormats.contains(name) || name.hasSuffix("_pipe") }

    /// The duration that the container itself specifies for the file, in microseconds; `nil` if it does not specify
    /// one. Available after ``findStreamInfo()``.
    var declaredDuration: Int64? {
        let isDeclared = unsafe context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM
        return unsafe isDeclared && context.pointee.duration > 0 ? context.pointee.duration : nil
    }

    /// Reads and decodes from the beginning until the parameters of the streams are known:
    /// ``Input/findStreamInfo(of:pictureByteLimit:)``.
    func findStreamInfo(of stream: Int?, pictureByteLimit: Int) throws(AVError) {
        let pixels = Int64(max(1, min(pictureByteLimit / 4, reading.limits.maximumPixelCount)))
        reading.begin(isElementary: isElementary)
        let wanted = Int32(clamping: stream ?? -1)
        try check(log.listen { unsafe scrub_find_stream_info(context, pixels, wanted) }, "avformat_find_stream_info")
    }

    /// Makes libavformat skip the packets of all streams except one.
    func select(stream index: Int) {
        for i in unsafe 0..<Int(context.pointee.nb_streams) {
            unsafe context.pointee.streams[i]?.pointee.discard = i == index ? AVDISCARD_DEFAULT : AVDISCARD_ALL
        }
    }

    /// The streams, as far as libavformat knows them.
    var streams: [StreamDescription] {
        var streams = unsafe (0..<Int(context.pointee.nb_streams)).compactMap { i in
            unsafe context.pointee.streams[i].map { unsafe StreamDescription($0, tags: context.pointee.metadata) }
        }
        // An estimate from times or bit rates is not a declared duration.
        if declaredDuration == nil { for i in streams.indices { streams[i].duration = nil } }
        return streams
    }

    /// Returns the bytes of a stream's cover art, which libavformat has in memory once the file is open; `nil` for
    /// other streams.
    func coverBytes(ofStream index: Int) -> [UInt8]? {
        guard index >= 0, unsafe index < Int(context.pointee.nb_streams),
            let stream = unsafe context.pointee.streams[index]
        else {
            return nil
        }
        let packet = unsafe stream.pointee.attached_pic
        guard let data = unsafe packet.data, unsafe packet.size > 0 else { return nil }
        return unsafe [UInt8](UnsafeBufferPointer(start: data, count: Int(packet.size)))
    }

    /// Reads the next packet of any selected stream.
    ///
    /// - Returns: whether there was one; false at the end of the file.
    func read(into packet: inout Packet) throws(AVError) -> Bool {
        packet.clear()
        reading.begin(isElementary: isElementary)
        let status = log.listen { unsafe av_read_frame(context, packet.pointer) }
        if status == scrub_error_eof { return false }
        try check(status, "av_read_frame")
        return true
    }

    /// Returns the number of messages of level error or worse since the last call, and the text of the first one.
    func takeErrors() -> (count: Int, first: String?) { log.take() }

    /// Whether the last end of input was a failed read rather than the end of the file.
    var readFailed: Bool { unsafe (context.pointee.pb?.pointee.error ?? 0) < 0 && !atEndOfFile }

    private var atEndOfFile: Bool { unsafe context.pointee.pb?.pointee.error == Int32(scrub_error_eof) }

    /// Seeks to a byte of the file. The next packet is the first one that the demuxer recognizes from there.
    func seek(byte: Int64) throws(AVError) {
        reading.begin(isElementary: false)
        try check(log.listen { unsafe av_seek_frame(context, -1, byte, AVSEEK_FLAG_BYTE) }, "av_seek_frame")
    }

    /// Seeks to a time of a stream, to an index entry at or before it.
    func seek(stream: Int, timestamp: Int64) throws(AVError) {
        reading.begin(isElementary: false)
        try check(
            log.listen { unsafe av_seek_frame(context, Int32(stream), timestamp, AVSEEK_FLAG_BACKWARD) },
            "av_seek_frame")
    }
}
