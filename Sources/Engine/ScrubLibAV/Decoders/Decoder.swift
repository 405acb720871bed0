internal import ScrubIsolation

/// The owner of one libavcodec decoder, in this process or in a worker's where a sandbox is on (``Sandbox``).
///
/// It knows nothing of seeking: packets go in with numbers, pictures come out with the numbers of the packets that
/// they are from. Use from one thread at a time; it may move between threads.
package struct Decoder: ~Copyable, @unchecked Sendable {
    /// The way a decoder spreads its work.
    package enum Threading: Sendable, Hashable {
        /// One thread: decoding of damaged data is repeatable, and complaints belong to the packet just sent.
        case single
        /// Several pictures at once; pictures come out as many packets later as there are threads, less one.
        case frames(Int)
        /// Parts of one picture at once; without effect on pictures of one slice.
        case slices(Int)
    }

    /// The options with which a decoder is opened.
    package struct Options: Sendable, Hashable {
        package var threading = Threading.single
        /// Pictures of reorder delay to begin with. A delay that the decoder has to grow while it runs can cost
        /// the pictures that were already due, so a run that begins inside the stream says it first.
        package var reorderDelay = 0
        /// The build of x264 that made the stream, when known. libavcodec imitates the faults of old builds, and the
        /// message that names the build stands only before the first picture.
        package var x264Build: Int?
        /// Whether the parts of a picture that are never decoded are the same in every run. Costs a pass over each
        /// buffer, and is for ``Threading/single`` only.
        package var isRepeatable = false
        /// Whether the stream is known to need none of the workarounds for faults of encoders (MPEG-4 part 2). Bits
        /// behind a picture that are not padding are then reported from the first picture on.
        package var needsNoWorkarounds = false
        /// Whether pictures are inspected only for their numbers: missing parts are not made up.
        package var isForNumbers = false

        package init() {}
    }

    /// The outcome of a call.
    package enum Step: Sendable { case done, again, end }

    private let way: any DecodingWay

    /// Opens a decoder.
    ///
    /// - Parameter allocator: the memory for pictures; `nil` for memory of its own.
    package init(
        _ description: CodecDescription, _ options: Options = .init(), allocator: FrameAllocator? = nil
    ) throws(AVError) {
        if let pool = Sandbox.pool(for: description.origin) {
            way = try SandboxedDecoder(description, options, allocator: allocator, pool: pool)
        } else {
            way = try LocalDecoder(description, options, allocator: allocator)
        }
    }

    /// Pictures that are kept back because others are decoded at the same time.
    package var threadDelay: Int { way.threadDelay }
    /// Whether pictures come from the allocator given, and not from a pool of the decoder's own.
    package var usesAllocator: Bool { way.usesAllocator }

    /// Gives a packet to the decoder; `again` means that pictures must be taken out first.
    package mutating func send(_ packet: borrowing Packet) throws(AVError) -> Step { try way.send(packet) }

    /// Says that no more packets come, so that all pictures come out.
    package mutating func sendEnd() throws(AVError) { try way.sendEnd() }

    /// Takes the next picture out; `again` means that packets must go in first.
    package mutating func receive(into frame: inout Frame) throws(AVError) -> Step { try way.receive(into: &frame) }

    /// Returns the numbers of the packets whose pictures have blocks that were never decoded, among those that came out
    /// and those decoded before them since this was asked last.
    package mutating func takeUndecoded() -> [Int64] { way.takeUndecoded() }

    /// Forgets all pictures, ready for a restart.
    package mutating func flush() { way.flush() }

    /// Lets the H.264 decoder give out pictures before it believes that it has recovered.
    ///
    /// It believes so when the picture with the recovery point comes out. A drain right after a target does not wait
    /// for that: the target would be swallowed.
    package mutating func showUnrecovered(_ isWanted: Bool) { way.showUnrecovered(isWanted) }

    /// Begins to count messages again.
    ///
    /// - Parameter expected: messages that begin so don't count from now on.
    package mutating func forgetErrors(expected: String? = nil) { way.forgetErrors(expected: expected) }

    /// Counts messages from now on beside those that came before, except for the ones that begin so; `nil` for every
    /// one.
    package mutating func expectErrors(_ expected: String?) { way.expectErrors(expected) }

    /// Says that the samples of other pictures will not be inspected. They may come out without any, which costs less
    /// where they come from another process. `nil` for all.
    package mutating func handOutOnly(_ numbers: [Int64]?) { way.handOutOnly(numbers) }

    /// Returns the number of times that there was no memory for a picture since the last call. Decoders report that as
    /// damage, each in its own words.
    package func takeRefusals() -> Int { way.takeRefusals() }

    /// Returns the messages of level error or worse, or about concealment, that this decoder wrote since this was asked
    /// last. The result has their number, and the first one's words.
    package mutating func takeErrors() -> (count: Int, first: String?) { way.takeErrors() }
}

/// The functions of a decoder, wherever it is; each member as ``Decoder``'s of its name.
protocol DecodingWay: AnyObject {
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
