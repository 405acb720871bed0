internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV

extension ReorderCheck {
    /// The number of keyframes that are inspected.
    private static let keyframes = 8
    /// The number of bytes of each keyframe to read first: parameter sets and the usual messages fit before the first
    /// slice.
    private static let keyframeHead = 1024

    /// Returns whether pictures of an HEVC stream are never shown because the next sequence requires it (H.265
    /// C.5.2.2), which tables do not show.
    ///
    /// Encoders that set `no_output_of_prior_pics_flag` set it everywhere, and writers that write ends of sequences
    /// write them everywhere, so a few keyframes are representative of all. The check takes a few small reads in a
    /// stream that reorders, and none in other streams or in remote files. Other occurrences are found when they are
    /// decoded.
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
            // The parser reports the truncation, but has an order count once it has read a slice.
            if coded.orderCount != nil {
                // After a broken link, decoders drop RASL pictures (H.265 8.1.3), which tables count.
                if coded.isBrokenLink { return true }
                return coded.randomAccess == .open && endsSequence(picture - 1)
            }
            guard head.readMore() else { return false }
        }
    }

    /// Returns whether the last unit of a sample is an end of sequence or bitstream, after a length of four bytes. A
    /// slice has no three consecutive zeros (7.4.2), so it cannot look like one.
    private func endsSequence(_ picture: Int) -> Bool {
        guard pictures.offsets.indices.contains(picture) else { return false }
        let end = pictures.offsets[picture].addingReportingOverflow(Int64(pictures.sizes[picture]))
        guard !end.overflow, end.partialValue >= 6, let tail = try? file.read(at: end.partialValue - 6, count: 6) else {
            return false
        }
        return tail[..<4] == [0, 0, 0, 2] && [36, 37].contains(tail[4] >> 1)
    }
}
