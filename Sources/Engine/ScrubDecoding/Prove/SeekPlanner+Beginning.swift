internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

/// MPEG-4 Part 2: pictures that libavcodec takes for damaged because of others.
///
/// A picture that does not end as it should makes libavcodec assume a faulty encoder (`FF_BUG_NO_PADDING` of
/// h263dec.c) until its score of the stream (`padding_bug_score`) is low enough. The picture with which it gets there
/// counts as damaged, however sound it is. Each sound picture lowers the score by one, and a damaged one raises it by
/// 16 at most in practice. So this concerns the stream's beginning alone, and only if a picture there is damaged.
extension SeekPlanner {
    /// The number of first pictures behind which the score is low enough for three damaged ones.
    private static let settled = 64

    /// Whether a restart is one of a damaged beginning: only a run from the stream's first picture shows which of its
    /// pictures count as damaged.
    func isUnsettled(_ restart: Int) -> Bool {
        index.facts.codec == .mpeg4 && (1..<SeekPlanner.settled).contains(restart) && !beginningIsSound()
    }

    /// Whether a plan begins with a damaged beginning of the stream, in which pictures would be left out.
    ///
    /// Not looked at in a first group of more pictures: from the eighth on the score is too low for all but few kinds
    /// of damage, and the look would cost half of a seek there.
    func beginsUnsettled(_ plan: DecodePlan) -> Bool {
        guard index.facts.codec == .mpeg4, plan.restart == 0, plan.last >= PaddingWitness.count,
            index.reorderDelay > 0, let next = index.nextRestart(after: 0), next < SeekPlanner.settled
        else { return false }
        return !beginningIsSound()
    }

    /// Decodes the stream's first pictures once, and says whether all are sound. True if they can't be read: then
    /// nothing that follows can either.
    private func beginningIsSound() -> Bool {
        if let known = proofs.beginningIsSound { return known }
        var reader = PacketReader(file: file, index: index)
        var isSound = true
        do throws(ScrubError) {
            let decoder = try OpenDecoder(
                repeatableFrom: 0, start: .streamStart, index: index, reader: &reader, allocator: nil)
            for picture in 0..<min(SeekPlanner.settled, index.pictures.count) where isSound {
                try Cancellation.check()
                try decoder.feed(Feed(picture: picture), reader: &reader)
                while decoder.next() != nil {}
                if decoder.findings.isStarved { return true }
                isSound = decoder.isClean
            }
        } catch {
            if error.code != .badData { return true }
            isSound = false
        }
        if !Cancellation.isCurrentCancelled { proofs.recordBeginning(isSound: isSound) }
        return isSound
    }
}
