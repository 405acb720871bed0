package import ScrubBitstream
internal import ScrubFileIO
package import ScrubLibAV

extension CodedPicture {
    /// Returns whether a decoder outputs several pictures for the packet, and each counts. Examples are two temporal
    /// units of AV1 in one packet, VP9 superframes of several shown frames, and commands to show an earlier picture
    /// after another one.
    ///
    /// Packed MPEG-4 is counted as it is, and in other formats, decoders output one picture for each packet.
    package func isShared(_ codec: VideoCodec) -> Bool { shownCount > 1 && (codec == .av1 || codec == .vp9) }
}

extension CodedPictures {
    /// Marks all pictures from a packet on for which a decoder outputs several: the index counts one, so later numbers
    /// are unreliable.
    mutating func markUncounted(from first: Int) {
        for picture in flags.indices where picture >= first { flags[picture].insert(.misplaced) }
    }
}

/// Packets that show several pictures, in containers whose payloads are not read to make an index.
///
/// The first samples are inspected. An encoder that puts two pictures into a packet usually does so from the beginning.
/// Such a file is read once as a whole. A later packet is detected when it is fed (``isShared(_:)``): it and the
/// pictures that depend on it are not exact.
package struct SharedPackets: Sendable {
    static let warning =
        "a packet shows several pictures, which are counted as one frame: later frame numbers are uncertain"

    /// The number of samples that are inspected, without the larger ones: keyframes are large and give no more
    /// information.
    private static let sampleCount = 8
    private static let sampleByteLimit: UInt32 = 64 << 10
    /// The distance from the first sample within which bytes of a remote file are available without a request.
    private static let nearBytes: Int64 = 48 << 10

    private let codec: VideoCodec
    private var description: Int
    private var parser: PictureParser

    /// - Returns: `nil` for codecs whose packets never show several pictures.
    package init?(_ facts: StreamFacts, description: Int) {
        guard facts.codec == .av1 || facts.codec == .vp9 else { return nil }
        (codec, self.description) = (facts.codec, description)
        parser = PictureParser(codec: codec, extradata: facts.descriptions[description].extradata)
    }

    /// Switches to another description of the stream.
    package mutating func announce(_ description: Int, of facts: StreamFacts) {
        guard description != self.description, facts.descriptions.indices.contains(description) else { return }
        self.description = description
        parser = PictureParser(codec: codec, extradata: facts.descriptions[description].extradata)
    }

    /// Returns whether a whole packet shows several pictures.
    package mutating func isShared(_ packet: borrowing Packet) -> Bool { isShared(packet.bytes) }

    private mutating func isShared(_ bytes: Span<UInt8>) -> Bool { parser.parse(bytes).isShared(codec) }

    /// Returns whether a packet shows a number of pictures other than the one that tables count: several, or none.
    private mutating func isMiscounted(_ bytes: Span<UInt8>) -> Bool {
        let coded = parser.parse(bytes)
        return coded.isShared(codec) || codec == .av1 && coded.isUnderstood && !coded.isShown
    }

    /// Returns whether one of a stream's first samples shows several pictures or, for AV1, none.
    static func areFound(in pictures: CodedPictures, _ facts: StreamFacts, _ file: MediaSource) -> Bool {
        guard var packets = SharedPackets(facts, description: 0), let start = pictures.offsets.first else {
            return false
        }
        for picture in pictures.offsets.indices.prefix(sampleCount) {
            let (offset, size) = (pictures.offsets[picture], pictures.sizes[picture])
            guard size <= sampleByteLimit, !pictures.flags[picture].contains(.missing) else { continue }
            let (distance, overflow) = offset.subtractingReportingOverflow(start)
            if file.isRemote, overflow || distance < 0 || distance > nearBytes { continue }
            if !pictures.descriptions.isEmpty {
                packets.announce(Int(pictures.descriptions[picture]), of: facts)
            }
            let sample = SampleHead(offset: offset, size: size, firstRead: Int(size), file: file)
            if let sample, packets.isMiscounted(sample.bytes.span) { return true }
        }
        return false
    }
}
