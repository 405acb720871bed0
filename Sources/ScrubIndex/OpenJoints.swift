internal import Bitstream
internal import FileIO
internal import ISOMedia
internal import LibAV

/// Edits of H.264 and HEVC that go on at a picture which is no IDR picture.
///
/// Whoever cuts a part out of a film with open groups makes such: libavformat goes from one edit's last sample to the next edit's keyframe,
/// and a decoder takes both for one sequence. Order counts of unrelated pictures meet there (H.264 8.2.1, H.265 8.3.1): pictures come
/// out in an order that the tables do not tell, and of two with one count HEVC decoders refuse the second. Behind an IDR picture all
/// earlier ones are out.
struct OpenJoints {
    /// More edits than these are not looked at one by one.
    private static let mostLookedAt = 64

    static let warning =
        "edits join groups that are not closed, in more pictures than are decoded for an index: what shows from there on is not certain"

    /// The first sample of the sequence behind such a joint; `nil` where there is none, and nothing is read of a film with one edit.
    static func first(
        _ table: SampleTable, _ sequence: EditedSequence, _ codec: CodecDescription, file: MediaSource
    ) -> Int? {
        let format = VideoCodec(named: codec.codecName)
        guard format == .h264 || format == .hevc else { return nil }
        let samples = sequence.sampleIndex
        let starts = sequence.sectionStarts.filter {
            // An edit that goes on where the one before ended joins nothing.
            samples.indices.contains($0) && $0 > 0 && samples[$0] != samples[$0 - 1] &+ 1
        }
        guard starts.count <= mostLookedAt else { return starts[0] }
        return starts.first { start in
            let sample = Int(samples[start])
            let coded = SampleHead.examine(
                offset: table.offsets[sample], size: table.sizes[sample], codec: format, extradata: codec.extradata,
                file: file)
            return coded?.randomAccess != .instantaneous
        }
    }

    /// How many pictures before the joint may come out behind it: a decoder's buffer has at most sixteen (H.264 A.3.1, H.265 A.4.2),
    /// each of two fields.
    static let mostHeldBack = 33
}
