internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV

/// Edits of H.264 and HEVC that go on at a picture that is not an IDR picture.
///
/// Cutting a part out of a film with open groups makes them. There libavformat goes from one edit's last sample to the
/// next edit's keyframe, and a decoder takes both for one sequence. Order counts of unrelated pictures meet there
/// (H.264 8.2.1, H.265 8.3.1). Pictures come out in an order that the tables do not tell, and of two with one count
/// HEVC decoders refuse the second. Behind an IDR picture all earlier ones are out.
struct OpenJoints {
    /// More samples than these are not inspected one by one; of a remote file each costs a request.
    private static let (mostLookedAt, mostLookedAtRemote) = (64, 8)

    static let warning =
        "edits join groups that are not closed, in a film that is not decoded for its index: what shows from there on is not certain"

    /// Returns the first samples of the sequence behind such joints, ascending. Nothing is read of a film with one
    /// edit.
    static func all(
        _ table: SampleTable, _ sequence: EditedSequence, _ codec: CodecDescription, file: MediaSource
    ) -> [Int] {
        let format = VideoCodec(named: codec.codecName)
        guard format == .h264 || format == .hevc else { return [] }
        let samples = sequence.sampleIndex
        let starts = sequence.sectionStarts.filter {
            // An edit that goes on where the one before ended joins nothing.
            samples.indices.contains($0) && $0 > 0 && samples[$0] != samples[$0 - 1] &+ 1
        }
        // Loops and freezes begin at the same samples again and again.
        let distinct = Set(starts.map { samples[$0] })
        guard distinct.count <= (file.isRemote ? mostLookedAtRemote : mostLookedAt) else { return starts }
        let open = distinct.filter { number in
            let sample = Int(number)
            let coded = SampleHead.examine(
                offset: table.offsets[sample], size: table.sizes[sample], codec: format, extradata: codec.extradata,
                file: file)
            // Behind a broken link decoders leave pictures out that tables count.
            guard let coded, coded.randomAccess == .instantaneous else { return true }
            return coded.isBrokenLink
        }
        return starts.filter { open.contains(samples[$0]) }
    }

    /// The number of pictures before a joint that may come out behind it, or the other way round. A decoder's buffer
    /// has at most sixteen (H.264 A.3.1, H.265 A.4.2), each of two fields.
    static let mostHeldBack = 33
}
