internal import ScrubIsolation
package import ScrubBase

/// The owner of one libavformat input, in this process or, if a sandbox is used, in a worker process (``Sandbox``).
///
/// Use from one thread at a time; it may move between threads.
package struct Input: ~Copyable, @unchecked Sendable {
    private let way: any InputImplementation

    /// Opens a source, reading only the container's header.
    ///
    /// No other file is ever opened. A file that references others (an HLS playlist, a list for `concat`, an SDP) is
    /// rejected, because its author would determine which other files and addresses are opened.
    ///
    /// - Parameters:
    ///   - name: the name of the source. Its suffix helps to detect formats without a signature.
    ///   - readsAll: whether the whole source will be read and is local, so that long reads cost less.
    package init(_ source: any ByteSource, name: String, readsAll: Bool = false) throws(AVError) {
        if let pool = Sandbox.pool(for: source.origin) {
            way = try SandboxedInput(source, name: name, pool: pool)
        } else {
            way = try LocalInput(source, name: name, readsAll: readsAll)
        }
    }

    /// Opens a file in memory.
    ///
    /// - Parameter source: the source from which the file was made; nothing is read from it.
    package init(bytes: [UInt8], format: String, of source: any ByteSource) throws(AVError) {
        if let pool = Sandbox.pool(for: source.origin) {
            way = try SandboxedInput(bytes: bytes, format: format, of: source, pool: pool)
        } else {
            way = try LocalInput(bytes: bytes, format: format, of: source)
        }
    }

    /// The demuxer's short name, such as `matroska,webm`.
    package var formatName: String { way.formatName }

    /// Whether the container's timestamps may jump (`AVFMT_TS_DISCONT`), like those of transport streams.
    package var timestampsMayJump: Bool { way.timestampsMayJump }

    /// Whether the container has no timestamps at all (`AVFMT_NOTIMESTAMPS`), like raw elementary streams.
    package var hasNoTimestamps: Bool { way.hasNoTimestamps }

    /// The duration that the container itself specifies for the file, in microseconds; `nil` if it does not specify
    /// one. Available after ``findStreamInfo()``.
    package var declaredDuration: Int64? { way.declaredDuration }

    /// Reads and decodes from the beginning until the parameters of the streams are known.
    ///
    /// If a file has many streams, the first 32 video streams, the first 32 audio streams, and one more are inspected.
    /// The others keep the container's data: a decoder for each would take a gigabyte for a file of a few hundred
    /// kilobytes.
    ///
    /// - Parameters:
    ///   - stream: the index of a stream that is always inspected.
    ///   - pictureByteLimit: the value for ``CodecDescription/pictureByteLimit``. libavformat's decoders support only a
    ///     limit on pixels. That limit is a quarter of this value, which in all formats except the deepest has no more
    ///     bytes. The parameters of larger pictures remain unknown.
    package mutating func findStreamInfo(
        of stream: Int? = nil, pictureByteLimit: Int = CodecDescription.standardPictureByteLimit
    ) throws(AVError) {
        try way.findStreamInfo(of: stream, pictureByteLimit: pictureByteLimit)
    }

    /// Makes libavformat skip the packets of all streams except one.
    package mutating func select(stream index: Int) { way.select(stream: index) }

    /// The maximum number of streams of one kind that ``findStreamInfo(of:pictureByteLimit:)`` inspects:
    /// `most_examined` of the shim.
    package static let mostExamined = 32

    /// The streams, as far as libavformat knows them.
    package var streams: [StreamDescription] { way.streams }

    /// The contents of the file. Values that the container does not specify are zero; after ``findStreamInfo()``, fewer
    /// are.
    package var containerDescription: ContainerDescription { way.containerDescription }

    /// Returns the bytes of a stream's cover art, which libavformat has in memory once the file is open; `nil` for
    /// other streams.
    package func coverBytes(ofStream index: Int) -> [UInt8]? { way.coverBytes(ofStream: index) }

    /// Reads the next packet of any selected stream.
    ///
    /// - Returns: whether there was one; false at the end of the file.
    package mutating func read(into packet: inout Packet) throws(AVError) -> Bool { try way.read(into: &packet) }

    /// Returns the number of messages of level error or worse since the last call, and the text of the first one.
    package mutating func takeErrors() -> (count: Int, first: String?) { way.takeErrors() }

    /// Whether the last end of input was a failed read rather than the end of the file.
    package var readFailed: Bool { way.readFailed }

    /// Seeks to a byte of the file. The next packet is the first one that the demuxer recognizes from there.
    package mutating func seek(byte: Int64) throws(AVError) { try way.seek(byte: byte) }

    /// Seeks to a time of a stream, to an index entry at or before it.
    package mutating func seek(stream: Int, timestamp: Int64) throws(AVError) {
        try way.seek(stream: stream, timestamp: timestamp)
    }
}

/// The implementation of an input, in this process or another. Each member corresponds to the member of ``Input`` with
/// the same name.
protocol InputImplementation: AnyObject {
    var formatName: String { get }
    var timestampsMayJump: Bool { get }
    var hasNoTimestamps: Bool { get }
    var declaredDuration: Int64? { get }
    var streams: [StreamDescription] { get }
    var containerDescription: ContainerDescription { get }
    var readFailed: Bool { get }
    func findStreamInfo(of stream: Int?, pictureByteLimit: Int) throws(AVError)
    func select(stream index: Int)
    func coverBytes(ofStream index: Int) -> [UInt8]?
    func read(into packet: inout Packet) throws(AVError) -> Bool
    func takeErrors() -> (count: Int, first: String?)
    func seek(byte: Int64) throws(AVError)
    func seek(stream: Int, timestamp: Int64) throws(AVError)
}
