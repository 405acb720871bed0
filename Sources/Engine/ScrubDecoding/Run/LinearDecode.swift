internal import ScrubBitstream
package import ScrubFileIO
package import ScrubLibAV
package import ScrubBase
package import ScrubIndex

/// A decode of the whole stream from the first packet to the last. It is the reference for all other decoding.
///
/// It does not depend on an index. libavformat reads the packets, including those without a picture. The decoder is
/// opened as the ffmpeg command opens it. The bytes of a packet identify its picture in an index.
package struct LinearDecode: ~Copyable {
    /// A decoded picture.
    package struct Output: Sendable {
        /// The index's picture for its packet; `nil` if the index has none.
        package let picture: Int?
        package let frame: SharedFrame
    }

    private let file: MediaSource
    private let index: FrameIndex
    private var input: Input
    private var decoder: Decoder
    private var packet: Packet
    private var frame: Frame
    private let showsDiscarded: Bool
    /// The index's pictures by the number of the packet.
    private var pictures: [Int?] = []
    private var discarded: Set<Int64> = []
    /// The index's next picture.
    private var next = 0
    private var locator: PayloadLocator
    /// Whether no errors have been found so far.
    private(set) var isSound = true

    /// Decodes everything on one thread and delivers every picture in the decoder's output order, damaged ones too.
    ///
    /// - Returns: whether decoding found no errors.
    /// - Throws: `inputOutput` if reading fails, `unavailable` if the decoder cannot be opened.
    @discardableResult
    package static func run(
        file: MediaSource, index: FrameIndex, deliver: (Output) throws(ScrubError) -> Void
    ) throws(ScrubError) -> Bool {
        var decode = try begin(file.sequentialView(), index)
        while try decode.feed(deliver) {}
        return decode.isSound
    }

    private init(
        _ file: MediaSource, _ index: FrameIndex, _ input: consuming Input, _ decoder: consuming Decoder,
        _ packet: consuming Packet, _ frame: consuming Frame, showsDiscarded: Bool
    ) {
        (self.file, self.index, self.showsDiscarded) = (file, index, showsDiscarded)
        locator = PayloadLocator(file)
        self.input = input
        self.decoder = decoder
        self.packet = packet
        self.frame = frame
    }

    /// Opens the file and the decoder as the ffmpeg command opens them.
    private static func begin(_ file: MediaSource, _ index: FrameIndex) throws(ScrubError) -> LinearDecode {
        let packet = try translatingErrors("a packet cannot be allocated") { () throws(AVError) in try Packet() }
        let frame = try translatingErrors("a picture cannot be allocated") { () throws(AVError) in try Frame() }
        let input = try DemuxReader.open(file, index)
        let codec = try codec(of: input, file, index)
        var options = Decoder.Options()
        // Samples that are never decoded are zero, as in new memory.
        options.isRepeatable = true
        options.reorderDelay = Int(codec.videoDelay)
        let decoder = try translatingErrors("the decoder for \(codec.codecName) cannot be opened") {
            () throws(AVError) in try Decoder(codec, options)
        }
        return LinearDecode(
            file, index, input, decoder, packet, frame, showsDiscarded: codec.showsDiscardedPackets)
    }

    private static func codec(
        of input: borrowing Input, _ file: MediaSource, _ index: FrameIndex
    ) throws(ScrubError) -> CodecDescription {
        guard var codec = input.streams.first(where: { $0.index == index.facts.streamIndex })?.codec else {
            throw ScrubError(.badData, "no longer has stream \(index.facts.streamIndex)", file: file.path)
        }
        let known = index.facts.descriptions[0]
        (codec.pictureByteLimit, codec.pixelLimit) = (known.pictureByteLimit, known.pixelLimit)
        codec.origin = known.origin
        return codec
    }

    /// Feeds the next packet, or drains the decoder after the last one.
    ///
    /// - Returns: false after the last one.
    private mutating func feed(_ deliver: (Output) throws(ScrubError) -> Void) throws(ScrubError) -> Bool {
        guard try read() else {
            do throws(AVError) { try decoder.sendEnd() } catch { isSound = false }
            try collect(deliver)
            return false
        }
        if packet.isDiscarded, !showsDiscarded { discarded.insert(Int64(pictures.count)) }
        if packet.isCorrupt { isSound = false }
        packet.identify(as: Int64(pictures.count), isKey: packet.isKey)
        pictures.append(pictureInPacket())
        // A full decoder accepts the packet after its pictures have been received.
        for _ in 0..<2 {
            var step = Decoder.Step.done
            do throws(AVError) { step = try decoder.send(packet) } catch { isSound = false }
            try collect(deliver)
            if step != .again { break }
        }
        return true
    }

    /// Reads the stream's next packet that is not empty. The ffmpeg command skips empty packets.
    private mutating func read() throws(ScrubError) -> Bool {
        do throws(AVError) {
            while try input.read(into: &packet) {
                if packet.streamIndex == index.facts.streamIndex, packet.count > 0 { return true }
            }
        } catch {
            isSound = false
        }
        if input.readFailed, let failure = file.lastFailure { throw failure }
        return false
    }

    private mutating func collect(_ deliver: (Output) throws(ScrubError) -> Void) throws(ScrubError) {
        while true {
            do throws(AVError) {
                guard try decoder.receive(into: &frame) == .done else { break }
            } catch {
                isSound = false
                break
            }
            if frame.isDamaged { isSound = false }
            let number = frame.number
            guard frame.hasSamples, !(number.map(discarded.contains) ?? false) else { continue }
            let picture = number.flatMap { pictures.indices.contains(Int($0)) ? pictures[Int($0)] : nil }
            let taken = try translatingErrors("a picture cannot be allocated") { () throws(AVError) in
                SharedFrame(try frame.take())
            }
            try deliver(Output(picture: picture, frame: taken))
        }
        if decoder.takeErrors().count > 0 || !decoder.takeUndecoded().isEmpty { isSound = false }
    }

    /// Returns the index's picture with the bytes of the packet: the next one, or a later one if libavformat skips
    /// some. Several short packets may have the same bytes. For these, the position in the file must match.
    private mutating func pictureInPacket() -> Int? {
        let place = index.facts.route == .direct ? locator.locate(packet) : nil
        let isShort = packet.count < LinearDecode.telling
        let last = min(index.pictures.count, next + LinearDecode.searched)
        for picture in next..<max(next, last) where Int(index.pictures.sizes[picture]) == packet.count {
            if isShort, let place {
                guard index.pictures.offsets[picture] == place else { continue }
            } else {
                guard has(picture) else { continue }
            }
            next = picture + 1
            return picture
        }
        return nil
    }

    private static let searched = 64
    /// The minimum size in bytes of a packet that is identified by its bytes.
    private static let telling = 32

    private func has(_ picture: Int) -> Bool {
        if index.facts.route != .direct {
            return PacketPass.fingerprint(packet.bytes) == index.pictures.fingerprints[picture]
        }
        guard let bytes = try? file.read(at: index.pictures.offsets[picture], count: packet.count) else { return false }
        let own = packet.bytes
        return bytes.indices.allSatisfy { bytes[$0] == own[$0] }
    }
}
