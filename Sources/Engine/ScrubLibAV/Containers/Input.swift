internal import ScrubIsolation
package import ScrubBase

/// The owner of one libavformat input, in this process or in a worker's where a sandbox is on (``Sandbox``).
///
/// Use from one thread at a time; it may move between threads.
package struct Input: ~Copyable, @unchecked Sendable {
    private let way: any ReadingWay

    /// Opens a source, without reading more than the container's header.
    ///
    /// Nothing else is ever opened. A file that names others (an HLS playlist, a list for `concat`, an SDP) is refused,
    /// because its author would decide which other files and addresses are opened.
    ///
    /// - Parameters:
    ///   - name: its suffix helps to recognize formats that have no signature.
    ///   - readsAll: whether the whole source will be read, and is near: long reads cost less then.
    package init(_ source: any ByteSource, name: String, readsAll: Bool = false) throws(AVError) {
        if let pool = Sandbox.pool(for: source.origin) {
            way = try SandboxedInput(source, name: name, pool: pool)
        } else {
            way = try LocalInput(source, name: name, readsAll: readsAll)
        }
    }

    /// Opens a file that is in memory.
    ///
    /// - Parameter source: the one that it was made of; nothing is read from it.
    package init(bytes: [UInt8], format: String, of source: any ByteSource) throws(AVError) {
        if let pool = Sandbox.pool(for: source.origin) {
            way = try SandboxedInput(bytes: bytes, format: format, of: source, pool: pool)
        } else {
            way = try LocalInput(bytes: bytes, format: format, of: source)
        }
    }

    /// The demuxer's short name, such as `matroska,webm`.
    package var formatName: String { way.formatName }

    /// Whether the container's timestamps may jump (`AVFMT_TS_DISCONT`), as those of transport streams.
    package var timestampsMayJump: Bool { way.timestampsMayJump }

    /// Whether the container has no timestamps at all (`AVFMT_NOTIMESTAMPS`), as raw elementary streams.
    package var hasNoTimestamps: Bool { way.hasNoTimestamps }

    /// The duration that the container itself gives for the file, in microseconds; nil if it doesn't give one. After
    /// ``findStreamInfo()``.
    package var declaredDuration: Int64? { way.declaredDuration }

    /// Reads and decodes from the beginning until the streams' parameters are known.
    ///
    /// Of files with many streams the first 32 of pictures, the first 32 of sound and one more are inspected. The
    /// others keep the container's facts: a decoder for each would take a gigabyte for a file of some hundred
    /// kilobytes.
    ///
    /// - Parameters:
    ///   - stream: the place of a stream that is inspected wherever it stands.
    ///   - pictureByteLimit: the value for ``CodecDescription/pictureByteLimit``. To libavformat's decoders only pixels
    ///     can be told: a quarter as many, which have no more bytes in all but the deepest formats. Of a larger picture
    ///     the parameters are not known then.
    package mutating func findStreamInfo(
        of stream: Int? = nil, pictureByteLimit: Int = CodecDescription.standardPictureByteLimit
    ) throws(AVError) {
        try way.findStreamInfo(of: stream, pictureByteLimit: pictureByteLimit)
    }

    /// Lets libavformat skip the packets of all streams but one.
    package mutating func select(stream index: Int) { way.select(stream: index) }

    /// Streams of a kind that ``findStreamInfo(of:pictureByteLimit:)`` looks at: `most_examined` of the shim.
    package static let mostExamined = 32

    /// libavformat's present knowledge of the streams.
    package var streams: [StreamDescription] { way.streams }

    /// The contents of the file. Streams that the container says too little of have zeros; after ``findStreamInfo()``
    /// fewer do.
    package var containerDescription: ContainerDescription { way.containerDescription }

    /// Returns the bytes of a stream's cover art, which libavformat has in memory once the file is open; `nil` for
    /// other streams.
    package func coverBytes(ofStream index: Int) -> [UInt8]? { way.coverBytes(ofStream: index) }

    /// Reads the next packet of any selected stream.
    ///
    /// - Returns: whether there was one; no packet is the end of the file.
    package mutating func read(into packet: inout Packet) throws(AVError) -> Bool { try way.read(into: &packet) }

    /// Returns the messages of level error or worse that were written since this was asked last: their number, and the
    /// first one's words.
    package mutating func takeErrors() -> (count: Int, first: String?) { way.takeErrors() }

    /// Whether the last end of input was a failing read rather than the end of the file.
    package var readFailed: Bool { way.readFailed }

    /// Goes to a byte of the file. The next packet read is the first one that the demuxer recognizes from there.
    package mutating func seek(byte: Int64) throws(AVError) { try way.seek(byte: byte) }

    /// Goes to a time of a stream, to an index entry at or before it.
    package mutating func seek(stream: Int, timestamp: Int64) throws(AVError) {
        try way.seek(stream: stream, timestamp: timestamp)
    }
}

/// The functions of an input, wherever it is; each member as ``Input``'s of its name.
protocol ReadingWay: AnyObject {
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
