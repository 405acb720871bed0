package import ScrubBitstream
package import ScrubFileIO
internal import ScrubHashing
package import ScrubLibAV
package import ScrubBase
package import ScrubIndex

/// A reader of the coded pictures in an index, by number.
package struct PacketReader: ~Copyable {
    private let file: MediaSource
    private let index: FrameIndex
    private var demux: DemuxReader?
    /// The x264 build in the first picture, once it was searched for.
    private var build: Int?
    private var hasLookedForBuild = false
    /// The cached result of ``padding()``.
    private var foundPadding: PaddingEvidence??

    /// For a remote file: the prefetched range of packets that were not announced.
    private var run: Range<Int64> = 0..<0
    /// The number of bytes to announce when packets continue at the end of the last run.
    private var runLength = PacketReader.shortestRun

    private static let shortestRun: Int64 = 64 << 10
    private static let longestRun: Int64 = 4 << 20

    package init(file: MediaSource, index: FrameIndex) {
        self.file = file
        self.index = index
    }

    /// Returns the facts in the first bytes of a picture, as if the stream began there; `nil` if they cannot be read,
    /// or if the picture is not contiguous.
    package func examineHead(of number: Int) -> CodedPicture? {
        guard index.facts.route == .direct else { return nil }
        let description = index.pictures.description(of: number)
        return SampleHead.examine(
            offset: index.pictures.offsets[number], size: index.pictures.sizes[number], codec: index.facts.codec,
            extradata: index.facts.descriptions[description].extradata, file: file)
    }

    /// Returns whether a decoder that reaches an open restart of HEVC from earlier pictures may drop it, because it
    /// still holds another picture with the same order count. This does not fetch anything from a remote file.
    func repeatsOrder(_ number: Int) -> Bool {
        guard index.facts.codec == .hevc, index.facts.route == .direct, !file.isRemote else { return false }
        let first = max(0, number - PacketReader.mostHeldBefore)
        return SampleHead.repeatsOrder(
            (first...number).map { (index.pictures.offsets[$0], index.pictures.sizes[$0]) },
            extradata: index.facts.descriptions[index.pictures.description(of: number)].extradata, file: file)
    }

    /// The decoded picture buffer holds at most 16 pictures (ITU-T H.265 A.4.2).
    private static let mostHeldBefore = 16

    /// Returns whether a picture of a codec that may inherit tables contains all of its own.
    func standsAlone(_ number: Int) -> Bool {
        guard index.facts.route == .direct else { return false }
        return SampleHead.standsAlone(
            offset: index.pictures.offsets[number], size: index.pictures.sizes[number],
            index.facts.descriptions[index.pictures.description(of: number)], file)
    }

    /// Returns the x264 build that produced the stream. Movie tables do not contain it, so the first picture's messages
    /// are read once.
    package mutating func encoderBuild() -> Int? {
        if let known = index.facts.x264Build { return known }
        // For remote files, the index contains it.
        guard !file.isRemote, index.facts.codec == .h264, !hasLookedForBuild else { return build }
        hasLookedForBuild = true
        build = examineHead(of: 0)?.x264Build
        return build
    }

    /// Returns evidence that an MPEG-4 stream pads its pictures correctly and needs none of libavcodec's workarounds;
    /// `nil` if there is none. If the headers don't say, this decodes about half a picture, once. If the first pictures
    /// are damaged, it decodes a few.
    package mutating func padding() -> PaddingEvidence? {
        if let foundPadding { return foundPadding }
        guard index.facts.codec == .mpeg4, index.facts.descriptions.count == 1, index.pictures.count > 0 else {
            return nil
        }
        let codec = index.facts.descriptions[0]
        var found = PaddingEvidence(codec)
        if found == nil {
            do {
                var packet = try Packet()
                // One correctly padded picture is enough, because errors of such a decoder are examined.
                let keys = (0..<min(PaddingEvidence.reach, index.pictures.count)).filter {
                    $0 == 0 || index.pictures.flags[$0].contains(.key)
                }
                for number in keys.prefix(PaddingEvidence.mostTried) where found == nil {
                    try read(number, into: &packet)
                    found = PaddingEvidence(
                        codec, first: &packet, isKey: index.pictures.flags[number].contains(.key))
                }
            } catch {
                if Cancellation.isCurrentCancelled { return nil }
            }
        }
        foundPadding = .some(found)
        return found
    }

    /// Reads picture `number` into `packet`.
    ///
    /// - Throws: a ``ScrubError`` if its bytes no longer exist or cannot be found again.
    package mutating func read(_ number: Int, into packet: inout Packet) throws(ScrubError) {
        switch index.facts.route {
        case .direct:
            let file = file
            let offset = index.pictures.offsets[number]
            let count = Int(index.pictures.sizes[number])
            guard file.contains(offset: offset, count: Int64(count)) else {
                throw ScrubError(
                    .badData, "the picture's \(count) bytes at offset \(offset) extend past the end of the file",
                    file: file.path, place: .codedPicture(number),
                    advice: "the file is truncated: copy or download it again")
            }
            if file.isRemote { announce(number) }
            try unsafe packet.fill(count: count) { (buffer) throws(ScrubError) in
                try unsafe file.read(at: offset, into: buffer)
            }
        case .demuxByByte, .demuxByTime, .demuxFromStart:
            do throws(ScrubError) {
                // The parts of a film that were found by time are already there.
                let view = index.coverage == nil ? file.sequentialView() : file.view()
                if demux == nil { demux = try DemuxReader(file: view, index: index) }
                try demux?.read(number, into: &packet)
            } catch {
                // A demuxer that missed some bytes treats the following ones as damage.
                if Cancellation.isCurrentCancelled { demux = nil }
                throw error
            }
        }
    }

    /// Announces that a picture is read next, unless it was announced before, and the pictures after it if reads are
    /// sequential.
    private mutating func announce(_ number: Int) {
        let forecast = ReadForecast(index: index)
        guard let own = forecast.range(of: number) else { return }
        if run.contains(own.lowerBound) {
            // The next run is in transit while this one is read.
            guard run.upperBound - own.upperBound < Int64(run.count) / 2 else { return }
            runLength = min(2 * runLength, PacketReader.longestRun)
        } else {
            guard !file.expects(own), !file.expectGaps(around: own) else { return }
            runLength = own.lowerBound == run.upperBound ? min(2 * runLength, PacketReader.longestRun) : 0
        }
        var (next, end) = (number + 1, own.upperBound)
        while next < index.pictures.count, let range = forecast.range(of: next), range.lowerBound >= end,
            range.upperBound - own.lowerBound <= runLength
        {
            (next, end) = (next + 1, range.upperBound)
        }
        (run, runLength) = (own.lowerBound..<end, max(runLength, PacketReader.shortestRun))
        file.expectNext([run])
    }
}
