import ScrubISOMedia
import ScrubBase

/// The tables of MP4 and QuickTime files.
enum MovieBody {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        let source = MemorySource(bytes)
        _ = Movie.isISOMedia(source)
        try grow(bytes)
        guard let movie = answer({ () throws(ScrubError) in try Movie(reading: source) }) else { return }
        if let slim = answer({ () throws(ScrubError) in
            try movie.slimHeader(trackID: movie.tracks.first?.id, sampleEntry: 0)
        }) {
            try expect(slim.count <= bytes.count * 2 + 200, "a slim header of \(slim.count) bytes from \(bytes.count)")
        }
        try expect(movie.timescale > 0, "a timescale of 0")
        for track in movie.tracks { try check(track, of: movie, bytes) }
    }

    private static func check(_ track: Track, of movie: Movie, _ bytes: [UInt8]) throws(Finding) {
        _ = movie.startTimecode(of: track, in: MemorySource(bytes))
        guard let table = answer({ () throws(ScrubError) in try track.sampleTable() }) else { return }
        let count = table.count
        try expect(count <= bytes.count * 2, "\(count) samples in \(bytes.count) bytes")
        for (name, column) in [
            ("sizes", table.sizes.count), ("dts", table.dts.count), ("offsets", table.compositionOffsets.count),
            ("descriptions", table.descriptionIndexes.count), ("sync", table.syncKinds.count),
            ("dependencies", table.dependencies.count), ("rolls", table.rollDistances.count),
            ("types", table.syncNALTypes.count),
        ] {
            let mayBeEmpty = name != "sizes" && name != "dts"
            try expect(column == count || mayBeEmpty && column == 0, "\(column) \(name) of \(count) samples")
        }
        try expect(table.movieSampleCount <= count, "more samples in the movie box than in all")
        let whole = table.wholeSampleCount(byteCount: Int64(bytes.count))
        try expect(whole <= count && (!table.isInFile || whole == count), "\(whole) whole samples of \(count)")
        try expect(table.keySamples() == (0..<count).filter(table.isKey), "key samples")
        let again = answer { () throws(ScrubError) in try track.sampleTable() }
        try expect(again?.offsets == table.offsets && again?.dts == table.dts, "another table the second time")
        let sequence = answer { () throws(ScrubError) in
            try EditMapping.sequence(
                of: table, edits: track.edits, movieTimescale: movie.timescale, mediaTimescale: track.mediaTimescale)
        }
        guard let sequence else { return }
        try expect(sequence.count <= count * 17 + 65_536, "\(sequence.count) packets of \(count) samples")
        try expect(sequence.sampleIndex.allSatisfy { Int($0) < count }, "a packet of no sample")
        try expect(
            sequence.pts.count == sequence.count && sequence.dts.count == sequence.count, "columns of different lengths"
        )
    }

    /// A file that grows to these bytes, read in two steps, has the samples of one that is read at once.
    private static func grow(_ bytes: [UInt8]) throws(Finding) {
        guard let last = bytes.last else { return }
        let cut = bytes.count * Int(last) / 256
        let stepwise = table(of: [Array(bytes[..<cut]), bytes])
        let atOnce = table(of: [bytes])
        guard let stepwise, let atOnce else { return }
        try expect(
            stepwise.offsets == atOnce.offsets && stepwise.sizes == atOnce.sizes && stepwise.dts == atOnce.dts,
            "\(stepwise.count) samples in two steps, \(atOnce.count) in one")
    }

    private static func table(of states: [[UInt8]]) -> SampleTable? {
        var growing = GrowingMovie()
        var isFollowed = false
        var table: SampleTable?
        for state in states {
            let isRead: Void? = answer { () throws(ScrubError) in
                try growing.extend(to: MemorySource(state))
                if !isFollowed, let track = growing.movie?.tracks.first {
                    try growing.follow(track)
                    isFollowed = true
                }
                if isFollowed { table = try growing.sampleTable() }
            }
            guard isRead != nil else { return nil }
        }
        return table
    }
}
