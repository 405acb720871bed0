internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV

/// Edits of H.264 and HEVC that continue at a picture that is not an IDR picture.
///
/// They are the result of cutting a part out of a video with open groups. There libavformat goes from the last sample
/// of one edit to the keyframe of the next, and a decoder takes both for one sequence. Order counts of unrelated
/// pictures meet there (H.264 8.2.1, H.265 8.3.1). Pictures are output in an order that the tables do not give, and of
/// two with one count HEVC decoders reject the second. Before an IDR picture, all earlier ones are output.
struct OpenGroupEdits {
    /// The maximum numbers of samples that are inspected one by one; in a remote file, each costs a request.
    private static let (mostLookedAt, mostLookedAtRemote) = (64, 8)

    static let warning =
        "edits join open groups, and the video was not decoded to index it: frames after the first such edit are uncertain"

    /// Returns the first samples of the sequence after such joints, in ascending order. Nothing is read if the video
    /// has one edit.
    static func all(
        _ table: SampleTable, _ sequence: EditedSequence, _ codec: CodecDescription, file: MediaSource
    ) -> [Int] {
        let format = VideoCodec(named: codec.codecName)
        guard format == .h264 || format == .hevc else { return [] }
        let samples = sequence.sampleIndex
        let starts = sequence.sectionStarts.filter {
            // An edit that continues where the previous one ended joins nothing.
            samples.indices.contains($0) && $0 > 0 && samples[$0] != samples[$0 - 1] &+ 1
        }
        // Loops and freezes begin at the same samples repeatedly.
        let distinct = Set(starts.map { samples[$0] })
        guard distinct.count <= (file.isRemote ? mostLookedAtRemote : mostLookedAt) else { return starts }
        let open = distinct.filter { number in
            let sample = Int(number)
            let coded = SampleHead.examine(
                offset: table.offsets[sample], size: table.sizes[sample], codec: format, extradata: codec.extradata,
                file: file)
            // After a broken link, decoders drop pictures that tables count.
            guard let coded, coded.randomAccess == .instantaneous else { return true }
            return coded.isBrokenLink
        }
        return starts.filter { open.contains(samples[$0]) }
    }

    /// The number of pictures before a joint that may be output after it, or the reverse. A decoder's buffer has at
    /// most 16 (H.264 A.3.1, H.265 A.4.2), each of two fields.
    static let mostHeldBack = 33
}
