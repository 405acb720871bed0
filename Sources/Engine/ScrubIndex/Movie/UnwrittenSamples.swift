internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV

/// Samples at the end of a track that were never written. A file whose size was set before its bytes came, and that
/// never got all of them, has zeros there.
enum UnwrittenSamples {
    /// The bytes of a sample that are inspected. At first they are few, which tell a written one, then a page, which
    /// file systems fill with zeros.
    private static let looked: [Int64] = [64, 4096]
    /// Codecs of which no picture begins with as many zeros: their samples begin with a length, a marker or a start
    /// code.
    private static let codecs: Set<String> = [
        "h264", "hevc", "av1", "vp8", "vp9", "mjpeg", "png", "prores", "dnxhd", "jpeg2000",
    ]

    /// Returns the first of the samples at the end that are zeros; the table's count when none is.
    ///
    /// Cost: a look at the last sample, and at each that is zeros. All of a remote file is not fetched for
    /// that.
    static func start(in table: SampleTable, _ codec: CodecDescription, _ file: MediaSource) -> Int {
        guard !file.isRemote, codecs.contains(codec.codecName) else { return table.count }
        var start = table.count
        for sample in stride(from: table.count - 1, through: 0, by: -1) {
            // A sample outside of the file is not there anyway.
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
