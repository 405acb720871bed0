internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV

/// Samples at the end of a track that were never written. A file whose size was set before its data arrived, and that
/// never got all of it, has zeros there.
enum UnwrittenSamples {
    /// The numbers of bytes of a sample that are inspected: first a few, which are enough for a written one, then a
    /// page, which file systems fill with zeros.
    private static let looked: [Int64] = [64, 4096]
    /// Codecs whose pictures never begin with that many zeros: their samples begin with a length, a marker, or a start
    /// code.
    private static let codecs: Set<String> = [
        "h264", "hevc", "av1", "vp8", "vp9", "mjpeg", "png", "prores", "dnxhd", "jpeg2000",
    ]

    /// Returns the first of the samples at the end that consist of zeros; the table's count if there are none.
    ///
    /// Cost: a read of the last sample, and of each that consists of zeros. A remote file is not fetched as a whole for
    /// this.
    static func start(in table: SampleTable, _ codec: CodecDescription, _ file: MediaSource) -> Int {
        guard !file.isRemote, codecs.contains(codec.codecName) else { return table.count }
        var start = table.count
        for sample in stride(from: table.count - 1, through: 0, by: -1) {
            // A sample outside the file is missing anyway.
            guard table.isWhole(sample, byteCount: file.byteCount), table.sizes[sample] > 0 else { continue }
            let isUnwritten = looked.allSatisfy { most in
                let count = Int(min(Int64(table.sizes[sample]), most))
                return (try? file.read(at: table.offsets[sample], count: count))?.allSatisfy { $0 == 0 } == true
            }
            guard isUnwritten else { break }
            start = sample
        }
        return start
    }
}
