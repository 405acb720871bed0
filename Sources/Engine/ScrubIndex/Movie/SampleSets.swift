internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV

/// Parameter sets, film grain and long-term references of H.264 and HEVC, which container tables do not have.
///
/// Decoders keep them across restarts, so the decoded keyframe depends on earlier samples. The standard puts all sets
/// into the sample description of `avc1` and `hvc1` (ISO/IEC 14496-15, 5.3.2), and allows more in samples of `avc3` and
/// `hev1`. Files are less strict. If an inspected sample has sets that differ from its description, the whole file is
/// read once.
struct SampleSets {
    /// In a video with at most `mostSamples` samples, all are inspected. In a longer one, only the first samples and
    /// some keyframes are.
    private static let (mostSamples, firstSamples, mostKeyframes) = (2048, 256, 32)
    /// The number of bytes of a sample that are read first. Delimiters and the usual messages before the first slice
    /// fit into them.
    private static let headSize = 64
    /// The distance from the first sample within which bytes of a remote file are available without a request.
    private static let nearBytes: Int64 = 48 << 10

    let pictures: CodedPictures
    let facts: StreamFacts
    let file: MediaSource

    /// Returns whether a sample changes the parameter sets of later samples, or gives them film grain.
    ///
    /// Cost: a small read for each inspected sample. Remote files are read only at their beginning.
    func change() -> Bool {
        guard facts.codec == .h264 || facts.codec == .hevc else { return false }
        var watches = facts.descriptions.map {
            ParameterSetChangeDetector(codec: facts.codec, extradata: $0.extradata, findsDiscards: false)
        }
        for picture in looked {
            let description = pictures.descriptions.isEmpty ? 0 : Int(pictures.descriptions[picture])
            guard watches.indices.contains(description), var head = head(of: picture) else { continue }
            // A hole in the file: no picture begins with this many zeros, and decoders reject the sample.
            guard head.bytes.contains(where: { $0 != 0 }) else { continue }
            while true {
                let finding = watches[description]?.examine(sampleHead: head.bytes.span, isWhole: head.isWhole)
                if finding == .changes { return true }
                guard finding == .needsMoreBytes, head.readMore() else { break }
            }
        }
        return false
    }

    /// Returns whether H.264 pictures may be held as long-term references at an open restart. A decoder that begins
    /// there does not have them.
    ///
    /// Cost: that of ``change()`` for videos whose keyframes are not IDR pictures; otherwise, three small reads.
    func holdLongTerm() -> Bool {
        guard facts.codec == .h264, let extradata = facts.descriptions.first?.extradata else { return false }
        var parser = PictureParser(codec: .h264, extradata: extradata)
        let keys = keyframes
        let isOpen = [1, keys.count / 2, keys.count - 1].contains { place in
            guard keys.indices.contains(place), let head = head(of: keys[place]) else { return false }
            switch parser.examine(sampleHead: head.bytes.span, isWhole: head.isWhole) {
            case .picture(let picture): return picture.randomAccess != .instantaneous
            case .needsMoreBytes: return true
            case .unreadable: return false
            }
        }
        guard isOpen else { return false }
        return looked.contains { picture in
            guard let head = head(of: picture) else { return false }
            return parser.parse(head: head.bytes.span).inheritsLongTerm && pictures.flags[picture].contains(.key)
        }
    }

    private func head(of picture: Int) -> SampleHead? {
        let (offset, size) = (pictures.offsets[picture], pictures.sizes[picture])
        guard size > 0, !pictures.flags[picture].contains(.missing) else { return nil }
        let start = pictures.offsets.first ?? 0
        let (distance, overflow) = offset.subtractingReportingOverflow(start)
        if file.isRemote {
            guard !overflow, distance >= 0, distance <= SampleSets.nearBytes else { return nil }
            // For sources that report which bytes have arrived, opening waits only for the first sample.
            let count = min(Int64(size), Int64(SampleSets.headSize))
            guard
                distance == 0 || file.availableByteCount(from: offset) >= count
                    || file.availableByteCount(from: start) == 0
            else { return nil }
        }
        return SampleHead(offset: offset, size: size, firstRead: SampleSets.headSize, file: file)
    }

    private var keyframes: [Int] { pictures.flags.indices.filter { pictures.flags[$0].contains(.key) } }

    /// The samples to inspect.
    private var looked: [Int] {
        guard pictures.count > SampleSets.mostSamples else { return Array(0..<pictures.count) }
        let keys = keyframes.filter { $0 >= SampleSets.firstSamples }
        let count = min(keys.count, SampleSets.mostKeyframes)
        return Array(0..<SampleSets.firstSamples) + (0..<count).map { keys[$0 * keys.count / count] }
    }
}
