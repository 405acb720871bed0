internal import ScrubIsolation

/// The owner of one libavcodec decoder, in this process or, if a sandbox is used, in a worker process (``Sandbox``).
///
/// It does not handle seeking: packets are sent with numbers, and pictures are received with the numbers of their
/// packets. Use from one thread at a time; it may move between threads.
package struct Decoder: ~Copyable, @unchecked Sendable {
    /// The distribution of a decoder's work over threads.
    package enum Threading: Sendable, Hashable {
        /// One thread. Decoding of damaged data is repeatable, and messages belong to the packet just sent.
        case single
        /// Several pictures at once. Output is delayed by one packet less than the number of threads.
        case frames(Int)
        /// Several parts of one picture at once. Has no effect on pictures with a single slice.
        case slices(Int)
    }

    /// The options with which a decoder is opened.
    package struct Options: Sendable, Hashable {
        package var threading = Threading.single
        /// The initial reorder delay in pictures. A delay that the decoder has to increase while it runs can lose
        /// pictures that were already due, so a run that begins within the stream sets the delay first.
        package var reorderDelay = 0
        /// The x264 build that encoded the stream, if known. libavcodec imitates the bugs of old builds, and the
        /// message that names the build is only before the first picture.
        package var x264Build: Int?
        /// Whether the parts of a picture that are never decoded are the same in every run. Costs a pass over each
        /// buffer, and works only with ``Threading/single``.
        package var isRepeatable = false
        /// Whether the stream is known to need no workarounds for encoder bugs (MPEG-4 part 2). Bits after a picture
        /// that are not padding are then reported from the first picture on.
        package var needsNoWorkarounds = false
        /// Whether only the numbers of pictures are needed, so that missing parts are not concealed.
        package var isForNumbers = false

        package init() {}
    }

    /// The outcome of a call.
    package enum Step: Sendable { case done, again, end }

    private let way: any DecoderImplementation

    /// Opens a decoder.
    ///
    /// - Parameter allocator: the allocator of the pictures' memory; `nil` for the decoder's own.
    package init(
        _ description: CodecDescription, _ options: Options = .init(), allocator: FrameAllocator? = nil
    ) throws(AVError) {
        if let pool = Sandbox.pool(for: description.origin) {
            way = try SandboxedDecoder(description, options, allocator: allocator, pool: pool)
        } else {
            way = try LocalDecoder(description, options, allocator: allocator)
        }
    }

    /// The number of pictures by which output is delayed because others are decoded at the same time.
    package var threadDelay: Int { way.threadDelay }
    /// Whether pictures come from the given allocator rather than the decoder's own pool.
    package var usesAllocator: Bool { way.usesAllocator }

    /// Sends a packet to the decoder; `again` means that pictures must be received first.
    package mutating func send(_ packet: borrowing Packet) throws(AVError) -> Step { try way.send(packet) }

    /// Signals the end of the packets, so that all pictures are output.
    package mutating func sendEnd() throws(AVError) { try way.sendEnd() }

    /// Receives the next picture; `again` means that packets must be sent first.
    package mutating func receive(into frame: inout Frame) throws(AVError) -> Step { try way.receive(into: &frame) }

    /// Returns the numbers of the packets whose pictures have blocks that were never decoded, among the pictures that
    /// were output since the last call, and those decoded before them.
    package mutating func takeUndecoded() -> [Int64] { way.takeUndecoded() }

    /// Discards all pictures, ready for a restart.
    package mutating func flush() { way.flush() }

    /// Makes the H.264 decoder output pictures before it considers itself recovered.
    ///
    /// It considers itself recovered when the picture with the recovery point is output. A drain right after a target
    /// does not wait for that, so the target would be dropped.
    package mutating func showUnrecovered(_ isWanted: Bool) { way.showUnrecovered(isWanted) }

    /// Resets the count of messages.
    ///
    /// - Parameter expected: the beginning of messages that do not count from now on.
    package mutating func forgetErrors(expected: String? = nil) { way.forgetErrors(expected: expected) }

    /// Keeps counting messages, except those with the given beginning from now on; `nil` to count all.
    package mutating func expectErrors(_ expected: String?) { way.expectErrors(expected) }

    /// Limits the pictures whose samples are needed to some numbers. Other pictures may be output without samples,
    /// which costs less if they come from another process. `nil` for all.
    package mutating func handOutOnly(_ numbers: [Int64]?) { way.handOutOnly(numbers) }

    /// Returns how often there was not enough memory for a picture since the last call. Decoders report that as damage,
    /// each with its own message.
    package func takeRefusals() -> Int { way.takeRefusals() }

    /// Returns the number of messages of level error or worse, or about concealment, from this decoder since the last
    /// call, and the text of the first one.
    package mutating func takeErrors() -> (count: Int, first: String?) { way.takeErrors() }
}

/// The implementation of a decoder, in this process or another. Each member corresponds to the member of ``Decoder``
/// with the same name.
protocol DecoderImplementation: AnyObject {
    var threadDelay: Int { get }
    var usesAllocator: Bool { get }
    func send(_ packet: borrowing Packet) throws(AVError) -> Decoder.Step
    func sendEnd() throws(AVError)
    func receive(into frame: inout Frame) throws(AVError) -> Decoder.Step
    func takeUndecoded() -> [Int64]
    func flush()
    func showUnrecovered(_ isWanted: Bool)
    func forgetErrors(expected: String?)
    func expectErrors(_ expected: String?)
    func handOutOnly(_ numbers: [Int64]?)
    func takeRefusals() -> Int
    func takeErrors() -> (count: Int, first: String?)
}
