import ScrubMatroska
import ScrubBase

/// Elements, clusters and blocks of Matroska and WebM.
enum MatroskaBody {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        let source = MemorySource(bytes)
        guard let segment = answer({ () throws(ScrubError) in try MatroskaSegment(reading: source) }) else { return }
        try expect(segment.timestampScale > 0, "a scale of 0")
        try expect(segment.firstCluster <= bytes.count, "a cluster behind the end")
        let slim = segment.slimHeader()
        try expect(slim.count <= bytes.count + 64, "a slim header of \(slim.count) bytes from \(bytes.count)")
        let again = answer { () throws(ScrubError) in try MatroskaSegment(reading: MemorySource(slim)) }
        try expect(again?.tracks == segment.tracks, "other tracks in the slim header")
        try checkPlaces(segment, source)
        for number in Set(segment.tracks.prefix(4).map(\.number)) {
            let near = try blocks(segment, number, source, readsAhead: false)
            let far = try blocks(segment, number, source, readsAhead: true)
            try expect(near == far, "\(near.count) blocks in small reads, \(far.count) in large ones")
        }
    }

    /// Cues and clusters, from which parts of a film are read.
    private static func checkPlaces(_ segment: MatroskaSegment, _ source: MemorySource) throws(Finding) {
        let cues = CueList(of: segment, track: segment.tracks.first?.number ?? 1, reading: source).cues
        for (cue, next) in zip(cues, cues.dropFirst()) {
            try expect(cue.cluster < next.cluster && cue.time <= next.time, "cues in no order")
        }
        try expect(cues.allSatisfy { $0.cluster >= segment.firstCluster }, "a cue before the first cluster")
        var clusters = ClusterReader(segment, reading: source)
        let whole = segment.firstCluster..<max(segment.firstCluster, source.byteCount)
        let first = answer { () throws(ScrubError) in try clusters.firstCluster(in: whole) } ?? nil
        let last = answer { () throws(ScrubError) in try clusters.lastCluster(in: whole) } ?? nil
        for cluster in [first, last].compactMap({ $0 }) {
            try expect(whole.contains(cluster.offset), "a cluster at \(cluster.offset)")
            let again = answer { () throws(ScrubError) in try clusters.cluster(at: cluster.offset) } ?? nil
            try expect(again == cluster, "another cluster at \(cluster.offset)")
        }
    }

    private static func blocks(
        _ segment: MatroskaSegment, _ track: UInt64, _ source: MemorySource, readsAhead: Bool
    ) throws(Finding) -> [Block] {
        var reader = BlockReader(segment, track: track, source: source, headSize: 64, readsAhead: readsAhead)
        if let place = reader.clusterPlace(from: segment.firstCluster, before: source.byteCount) {
            try expect(place < source.byteCount, "a cluster behind the end")
        }
        var blocks: [Block] = []
        while let block = answer({ () throws(ScrubError) in try reader.next() }) ?? nil {
            try expect(block.offset >= 0 && block.offset <= source.byteCount, "a block at \(block.offset)")
            try expect(
                reader.head.count <= 64 && reader.head.count <= Int(block.size), "a head of \(reader.head.count)")
            if let last = blocks.last { try expect(block.offset > last.offset, "a block before the last one") }
            blocks.append(block)
            try expect(blocks.count <= source.byteCount, "more blocks than bytes")
        }
        return blocks
    }
}
