internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV
internal import ScrubMatroska
internal import ScrubBase

/// The numbers of pictures of a file's videos, as far as needed to choose among them.
///
/// For a movie, the tables contain the numbers. For other files, the start of the file shows them: a stream with one
/// picture is not the main video if another has many. Cost: the headers of at most ``mostPackets`` packets, and only if
/// there are several videos.
struct PictureCounts {
    /// The numbers by stream index in the file, without streams in which no picture was seen.
    var pictures: [Int: Int] = [:]
    /// Streams whose pictures belong to another stream, such as its transparency.
    var auxiliaries: Set<Int> = []

    /// The maximum number of packets of all streams to inspect: about seven seconds of a video with sound.
    private static let mostPackets = 512
    /// The maximum number of bytes of packets that are read.
    private static let mostBytes = 64 << 20
    /// The maximum number of fragmented tracks whose samples are counted one by one.
    private static let mostExpanded = 16
    /// The number of pictures beyond which counting adds no information.
    private static let enough = 64

    /// Counts the pictures.
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
