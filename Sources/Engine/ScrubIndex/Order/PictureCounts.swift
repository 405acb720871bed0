internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV
internal import ScrubMatroska
internal import ScrubBase

/// The numbers of pictures of a file's videos, as far as a choice among them needs them.
///
/// A movie's tables tell it. Elsewhere the beginning of the file does: a stream with one picture there, where another
/// has many, is not a film. Cost: the headers of ``mostPackets`` packets at most, and only where there are several
/// videos.
struct PictureCounts {
    /// By the stream's place in the file; streams of which none was seen are left out.
    var pictures: [Int: Int] = [:]
    /// Streams whose pictures belong to another's, such as their transparency.
    var auxiliaries: Set<Int> = []

    /// Packets of all streams that are inspected: some seven seconds of a film with sound.
    private static let mostPackets = 512
    /// Bytes of packets that are read for it.
    private static let mostBytes = 64 << 20
    /// Tracks in fragments whose samples are counted one by one.
    private static let mostExpanded = 16
    /// Nothing is learnt from more pictures.
    private static let enough = 64

    /// Counts them.
    static func of(_ videos: [StreamDescription], in file: MediaSource) -> PictureCounts {
        if MatroskaSegment.isEBML(file), let segment = try? MatroskaSegment(reading: file) {
            let tracks = MatroskaIndexer.streamTracks(segment)
            let numbers = Dictionary(
                videos.compactMap { tracks.indices.contains($0.index) ? (tracks[$0.index].number, $0.index) : nil },
                uniquingKeysWith: { first, _ in first })
            let found = BlockCensus(
                segment, source: file.sequentialView(), of: Set(numbers.keys), mostBlocks: mostPackets, enough: enough)
            var counts = PictureCounts()
            for (number, count) in found.counts { numbers[number].map { counts.pictures[$0] = count } }
            return counts
        }
        if Movie.isISOMedia(file), let movie = try? Movie(reading: file) {
            var counts = PictureCounts()
            var expanded = 0
            for stream in videos {
                guard let track = movie.track(id: UInt32(clamping: stream.id)) else { continue }
                var count = track.declaredSampleCount
                if count < 2, track.isExtended, expanded < mostExpanded {
                    count = (try? track.sampleTable().count) ?? 0
                    expanded += 1
                }
                counts.pictures[stream.index] = count
                if track.auxiliaryOf != nil { counts.auxiliaries.insert(stream.index) }
            }
            if !counts.pictures.isEmpty { return counts }
        }
        return PictureCounts(pictures: (try? counted(videos, in: file)) ?? [:])
    }

    private static func counted(_ videos: [StreamDescription], in file: MediaSource) throws(AVError) -> [Int: Int] {
        var input = try Input(file.sequentialView(), name: file.path)
        var packet = try Packet()
        var (counts, bytes): ([Int: Int], Int) = ([:], 0)
        let wanted = Set(videos.map(\.index))
        for _ in 0..<mostPackets {
            guard bytes < mostBytes, try input.read(into: &packet) else { break }
            bytes += packet.count
            if wanted.contains(packet.streamIndex), packet.count > 0 { counts[packet.streamIndex, default: 0] += 1 }
            if counts.count == wanted.count, counts.values.allSatisfy({ $0 >= enough }) { break }
        }
        return counts
    }
}
