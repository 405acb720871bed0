internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV

extension ReorderCheck {
    /// Keyframes that are inspected.
    private static let keyframes = 8
    /// Read of one at first: parameter sets and the usual messages fit before its first slice.
    private static let keyframeHead = 1024

    /// Whether pictures of an HEVC stream are never shown because the next sequence says so (H.265 C.5.2.2): no table
    /// tells which.
    ///
    /// Encoders that set `no_output_of_prior_pics_flag` set it everywhere, and writers of ends of sequences write them
    /// everywhere, so some keyframes stand for all. The check takes a few small reads in a stream that reorders, none
    /// in others and of a remote file. Places that these don't show are found when they are decoded.
    func losesPictures() -> Bool {
        guard facts.codec == .hevc, reorderLimit != 0, !file.isRemote else { return false }
        let keys = pictures.flags.indices.dropFirst().filter { pictures.flags[$0].contains(.key) }
        let count = min(keys.count, ReorderCheck.keyframes)
        return (0..<count).contains { losesPictures(at: keys[$0 * keys.count / count]) }
    }

    private func losesPictures(at picture: Int) -> Bool {
        let description = pictures.descriptions.isEmpty ? 0 : Int(pictures.descriptions[picture])
        guard facts.descriptions.indices.contains(description) else { return false }
        let parser = PictureParser(codec: .hevc, extradata: facts.descriptions[description].extradata)
        let size = pictures.sizes[picture]
        guard
            var head = SampleHead(
                offset: pictures.offsets[picture], size: size, firstRead: ReorderCheck.keyframeHead, file: file)
        else { return false }
        while true {
            var trial = parser
            trial.expectEarlier()
            let coded = trial.parse(head.bytes.span)
            if coded.decoderChange != .none { return true }
            // The parser complains of the cut, but has an order count once it has read a slice.
            if coded.orderCount != nil {
                // Behind a broken link decoders leave RASL pictures out (H.265 8.1.3), which tables count.
                if coded.isBrokenLink { return true }
                return coded.randomAccess == .open && endsSequence(picture - 1)
            }
            guard head.readMore() else { return false }
        }
    }

    /// Whether a sample's last unit is an end of sequence or bitstream, behind a length of four bytes. A slice has no
    /// three zeros in a row (7.4.2), so it can't look like one.
    private func endsSequence(_ picture: Int) -> Bool {
        guard pictures.offsets.indices.contains(picture) else { return false }
        let end = pictures.offsets[picture].addingReportingOverflow(Int64(pictures.sizes[picture]))
        guard !end.overflow, end.partialValue >= 6, let tail = try? file.read(at: end.partialValue - 6, count: 6) else {
            return false
        }
        return tail[..<4] == [0, 0, 0, 2] && [36, 37].contains(tail[4] >> 1)
    }
}
