internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

/// MPEG-4 Part 2: pictures that libavcodec considers damaged because of others.
///
/// A picture that does not end correctly makes libavcodec assume a faulty encoder (`FF_BUG_NO_PADDING` of h263dec.c)
/// until its score of the stream (`padding_bug_score`) is low enough. The picture with which it gets there counts as
/// damaged, even if it is intact. Each intact picture lowers the score by one, and in practice a damaged one raises it
/// by at most 16. This therefore concerns only the stream's beginning, and only if a picture there is damaged.
extension SeekPlanner {
    /// The number of initial pictures after which the score is low enough for three damaged ones.
    private static let settled = 64

    /// Returns whether a restart belongs to a damaged beginning, where only a run from the stream's first picture shows
    /// which of its pictures count as damaged.
    func isUnsettled(_ restart: Int) -> Bool {
        index.facts.codec == .mpeg4 && (1..<SeekPlanner.settled).contains(restart) && !beginningIsSound()
    }

    /// Returns whether a plan begins within a damaged beginning of the stream where pictures would be skipped.
    ///
    /// Larger first groups are not checked: from the eighth picture on, the score is too low for nearly all kinds of
    /// damage, and the check would cost half of a seek.
    func beginsUnsettled(_ plan: DecodePlan) -> Bool {
        guard index.facts.codec == .mpeg4, plan.restart == 0, plan.last >= PaddingEvidence.count,
            index.reorderDelay > 0, let next = index.nextRestart(after: 0), next < SeekPlanner.settled
        else { return false }
        return !beginningIsSound()
    }

    /// Decodes the stream's first pictures once, and returns whether all are intact. True if they cannot be read,
    /// because then no later picture can either.
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
