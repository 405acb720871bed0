internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubHashing
internal import ScrubLibAV

/// The record of a pass over a stream's packets so far. A value type: a copy continues independently.
package struct PacketPass: Sendable {
    private(set) var scanned = ScanIndexer.Scanned()
    /// The x264 build named before or with the first picture, if there is one.
    private(set) var x264Build: Int?
    /// The display matrix in the stream's own messages at the first picture.
    private(set) var displayMatrix: [Int32]?
    private var hasSeenPicture = false
    /// The file in which payloads are located.
    var file: MediaSource { didSet { locator.file = file } }

    private let stream: StreamDescription
    private let codec: VideoCodec
    private let traits: CodecTraits
    private var types: PictureTypes
    private var parser: PictureParser
    private var locator: PayloadLocator
    private var recorder: DependencyRecorder
    /// The packets' kinds of restart, while all of them are direct.
    private var accesses: [RandomAccess] = []
    private var generation: Int?
    /// The parser's parameter set generation after the last configuration.
    private var configuredGeneration = 0
    /// Decoder state from earlier packets; `nil` for codecs whose parser tracks it.
    private var memory: DecoderMemory?

    init(_ stream: StreamDescription, _ facts: StreamFacts, rules: IndexRules, file: MediaSource) {
        (self.stream, codec, self.file) = (stream, facts.codec, file)
        traits = CodecTraits(stream.codec)
        types = PictureTypes(stream.codec)
        parser = PictureParser(codec: facts.codec, extradata: stream.codec.extradata, recordsSets: true)
        locator = PayloadLocator(file)
        recorder = DependencyRecorder(codec: facts.codec, extradata: stream.codec.extradata)
        memory = DecoderMemory(stream.codec)
        scanned.findsEmptyPackets = rules.findsEmptyPackets
    }

    /// Processes a packet of any stream.
    ///
    /// - Returns: whether it belongs to this stream and contains data for a decoder.
    mutating func take(_ packet: borrowing Packet) -> Bool {
        guard packet.streamIndex == stream.index else { return false }
        guard packet.count > 0 else {
            scanned.noteEmpty(packet)
            return false
        }
        scanned.endsInPacket = packet.isCorrupt
        takeConfiguration(of: packet)
        let coded = parser.parse(packet.bytes)
        if !hasSeenPicture {
            x264Build = coded.x264Build ?? x264Build
            displayMatrix =
                DisplayOrientation.matrix(inPacket: packet.bytes, codec: codec, extradata: stream.codec.extradata)
                ?? displayMatrix
            hasSeenPicture = coded.pictureCount > 0
        }
        if scanned.leavesOut(packet, coded, codec) { return false }
        if let generation, generation != coded.parameterSetGeneration { scanned.changesParameters = true }
        generation = coded.parameterSetGeneration
        if parser.jumpsFrameNumber(at: coded) { scanned.jumpsFrameNumbers = true }
        // Decoders keep this state too.
        if coded.variesFieldDistance { scanned.variesFieldDistance = true }
        if coded.inheritsState || coded.variesFieldDistance { scanned.changesParameters = true }
        if coded.randomAccess != .none { parser.mayBegin(with: scanned.pictures.count) }
        let isPlain = takesConfigurations || !packet.carriesDecoderState
        let offset = scanned.isDirect && isPlain ? locator.locate(packet) : nil
        if offset == nil, scanned.isDirect {
            scanned.isDirect = false
            // The packet need not be identified beforehand: its position in the file identifies it.
            var fingerprints: [UInt32] = []
            recorder.record(accesses, of: scanned.pictures, from: file) {
                fingerprints.append(PacketPass.fingerprint($0))
            }
            scanned.pictures.fingerprints = fingerprints
        }
        scanned.pictures.offsets.append(offset ?? packet.filePosition)
        scanned.demuxPositions.append(packet.filePosition)
        scanned.append(packet, coded: coded, codec: codec, traits)
        if let entry = memory?.take(packet.bytes) { scanned.note(entry) }
        scanned.note(types.look(at: packet.bytes))
        if scanned.isDirect {
            // Headers that can be read again are read on demand.
            accesses.append(coded.randomAccess)
        } else {
            scanned.pictures.fingerprints.append(PacketPass.fingerprint(packet.bytes))
            recorder.record(packet.bytes, access: coded.randomAccess)
        }
        return true
    }

    /// Whether decoders apply configurations within the stream. Other decoders keep the first one.
    private var takesConfigurations: Bool { codec == .h264 || codec == .hevc }

    /// Records the configuration in a packet. Some publishers repeat the same one with each keyframe, which has no
    /// effect.
    private mutating func takeConfiguration(of packet: borrowing Packet) {
        guard takesConfigurations, packet.carriesDecoderState, let configuration = packet.newExtradata else { return }
        let present = scanned.configurations.last ?? stream.codec.extradata
        if configuration == present, parser.parameterSetGeneration == configuredGeneration { return }
        guard ConfigurationRecord.isWhole(configuration.span, codec: codec) else {
            // Damage in a container's header can look like a configuration.
            if scanned.firstUnconfigured == nil { scanned.firstUnconfigured = scanned.pictures.count }
            return
        }
        parser.take(configuration: configuration)
        configuredGeneration = parser.parameterSetGeneration
        guard scanned.configurations.count < PacketPass.mostConfigurations else {
            if scanned.firstUnconfigured == nil { scanned.firstUnconfigured = scanned.pictures.count }
            return
        }
        if scanned.configurations.isEmpty {
            scanned.pictures.descriptions = [UInt8](repeating: 0, count: scanned.pictures.count)
        }
        scanned.configurations.append(configuration)
    }

    /// The maximum number of configurations that an index can number, besides the stream's own.
    private static let mostConfigurations = 254

    /// Returns the hash that identifies a packet (``CodedPictures/fingerprints``).
    package static func fingerprint(_ bytes: Span<UInt8>) -> UInt32 { UInt32(truncatingIfNeeded: xxh3(bytes)) }

    /// Returns the record in the form from which an index is made.
    func finished() -> ScanIndexer.Scanned {
        var (scanned, recorder) = (scanned, recorder)
        if !scanned.isDirect { scanned.pictures.offsets = scanned.demuxPositions }
        // No header shows the effect of a configuration.
        scanned.dependencies = scanned.configurations.isEmpty ? recorder.finish() : []
        scanned.dependentRestarts = parser.dependentRestarts
        if memory?.varies == true { scanned.changesParameters = true }
        return scanned
    }
}
