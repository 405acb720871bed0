internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV

/// Parameter sets, film grain and long-term references of H.264 and HEVC, which containers' tables do not show.
///
/// Decoders keep them over restarts, so what a keyframe decodes to depends on samples before it. The standard puts all
/// sets into the sample description of `avc1` and `hvc1` (ISO/IEC 14496-15, 5.3.2), and allows more in samples of
/// `avc3` and `hev1`. Files are not that strict. Where a sample that is looked at has others than its description, the
/// file is read once as a whole.
struct SampleSets {
    /// Of a film with at most so many samples all are looked at; of a longer one the first, and some keyframes.
    private static let (mostSamples, firstSamples, mostKeyframes) = (2048, 256, 32)
    /// Read of a sample at first: delimiters and the usual messages fit before the first slice.
    private static let headSize = 64
    /// The distance from the first sample within which bytes of a remote file are there without asking for them.
    private static let nearBytes: Int64 = 48 << 10

    let pictures: CodedPictures
    let facts: StreamFacts
    let file: MediaSource

    /// Whether a sample changes the sets that later ones are decoded with, or gives them film grain.
    ///
    /// Cost: a small read for each sample that is looked at, none of a remote file beyond its beginning.
    func change() -> Bool {
        guard facts.codec == .h264 || facts.codec == .hevc else { return false }
        var watches = facts.descriptions.map {
            ParameterSetWatch(codec: facts.codec, extradata: $0.extradata, findsDiscards: false)
        }
        for picture in looked {
            let description = pictures.descriptions.isEmpty ? 0 : Int(pictures.descriptions[picture])
            guard watches.indices.contains(description), var head = head(of: picture) else { continue }
            // A hole of the file: no picture begins with as many zeros, and decoders refuse the sample.
            guard head.bytes.contains(where: { $0 != 0 }) else { continue }
            while true {
                let finding = watches[description]?.examine(sampleHead: head.bytes.span, isWhole: head.isWhole)
                if finding == .changes { return true }
                guard finding == .needsMoreBytes, head.readMore() else { break }
            }
        }
        return false
    }

    /// Whether pictures of H.264 are held as long-term references at an open restart, which a decoder that begins there
    /// does not have.
    ///
    /// Cost: as ``change()``, of films whose keyframes are not IDR pictures; else three small reads.
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
            // Opening waits for the first sample alone, of sources that say what has come.
            let count = min(Int64(size), Int64(SampleSets.headSize))
            guard distance == 0 || file.byteCountAtHand(from: offset) >= count || file.byteCountAtHand(from: start) == 0
            else { return nil }
        }
        return SampleHead(offset: offset, size: size, firstRead: SampleSets.headSize, file: file)
    }

    private var keyframes: [Int] { pictures.flags.indices.filter { pictures.flags[$0].contains(.key) } }

    /// The samples that are looked at.
    private var looked: [Int] {
        guard pictures.count > SampleSets.mostSamples else { return Array(0..<pictures.count) }
        let keys = keyframes.filter { $0 >= SampleSets.firstSamples }
        let count = min(keys.count, SampleSets.mostKeyframes)
        return Array(0..<SampleSets.firstSamples) + (0..<count).map { keys[$0 * keys.count / count] }
    }
}
