package import Bitstream
internal import ScrubBase

/// A video stream's coded pictures, and the presented frames that they make, in display order.
///
/// The index decides everything before any decoder runs: how many frames there are, which coded picture each one
/// is, when it is on screen and from where decoding may begin. It is immutable; what a probe finds out about a
/// claimed restart makes a new value.
package struct FrameIndex: Sendable {
    package let facts: StreamFacts
    package private(set) var pictures: CodedPictures
    /// All pictures that show something, discarded and undecodable ones too, in display order.
    package let displayOrder: [UInt32]
    /// Coded pictures by frame number.
    package let frames: [UInt32]
    /// Each picture's place in ``displayOrder``, -1 for a picture that never shows.
    package let ranks: [Int32]
    /// When each frame comes on screen: its presentation time, made to never run backwards where the
    /// container's times jump. Nothing when the presentation times of the frames are already so.
    private let repairedTimes: [Int64]?
    /// How long the last frame stays, in time base units.
    package let lastDuration: Int64

    package init(facts: StreamFacts, pictures: CodedPictures, presentation: Presentation) {
        self.facts = facts
        self.pictures = pictures
        displayOrder = presentation.displayOrder
        repairedTimes = presentation.repairedTimes
        lastDuration = presentation.lastDuration
        var frames: [UInt32] = []
        frames.reserveCapacity(displayOrder.count)
        var ranks = [Int32](repeating: -1, count: pictures.count)
        for (rank, picture) in displayOrder.enumerated() {
            ranks[Int(picture)] = Int32(rank)
            if pictures.flags[Int(picture)].isDisjoint(with: .notPresented) { frames.append(picture) }
        }
        self.frames = frames
        self.ranks = ranks
    }

    /// How the index can be written down: what ``init(facts:pictures:presentation:)`` took.
    package var presentation: Presentation {
        Presentation(displayOrder: displayOrder, repairedTimes: repairedTimes, lastDuration: lastDuration)
    }

    /// The number of presented frames.
    package var frameCount: Int { frames.count }

    /// When a frame comes on screen, in time base units, never before its predecessor.
    package func time(ofFrame frame: Int) -> Int64 {
        repairedTimes.map { $0[frame] } ?? pictures.presentationTimes[Int(frames[frame])]
    }

    /// The container's own presentation time of a frame.
    package func presentationTime(ofFrame frame: Int) -> Int64 {
        let time = pictures.presentationTimes[Int(frames[frame])]
        return time == CodedPictures.noTime ? self.time(ofFrame: frame) : time
    }

    /// How long a frame stays on screen, in time base units; 0 for frames that share their time with the next.
    package func duration(ofFrame frame: Int) -> Int64 {
        frame + 1 < frameCount ? time(ofFrame: frame + 1) - time(ofFrame: frame) : lastDuration
    }

    /// From the first frame's time to the end of the last one.
    package var duration: Int64 {
        guard frameCount > 0 else { return 0 }
        return time(ofFrame: frameCount - 1) - time(ofFrame: 0) + lastDuration
    }

    /// The frame on screen at an offset from the first frame's time: its time <= t < the next one's.
    /// Before the start it is the first frame, after the end the last one.
    ///
    /// - Precondition: there are frames.
    package func frame(atOffset offset: Int128) -> Int {
        precondition(frameCount > 0, "an index without frames shows nothing")
        let start = Int128(time(ofFrame: 0))
        var (low, high) = (0, frameCount)
        while high - low > 1 {
            let middle = (low + high) / 2
            if Int128(time(ofFrame: middle)) - start <= offset { low = middle } else { high = middle }
        }
        return low
    }

    /// The number of the frame that a coded picture shows as.
    package func frame(ofPicture picture: Int) -> Int? {
        let rank = ranks[picture]
        guard rank >= 0 else { return nil }
        var (low, high) = (0, frames.count)
        while low < high {
            let middle = (low + high) / 2
            if ranks[Int(frames[middle])] < rank { low = middle + 1 } else { high = middle }
        }
        return low < frames.count && frames[low] == UInt32(picture) ? low : nil
    }

    /// Writes down what a look at a picture's bytes said of it as a restart.
    package mutating func verify(_ picture: Int, as access: RandomAccess, recoveryCount: Int) {
        pictures.flags[picture] = pictures.flags[picture].with(access).union(.verified)
        pictures.recoveryCounts[UInt32(picture)] = recoveryCount > 0 ? UInt32(clamping: recoveryCount) : nil
    }

    /// The most pictures that stand before a shown one in decode order and after it in display order, among
    /// presented pictures: the delay with which a decoder hands pictures out in display order, at most 16
    /// (ITU-T H.264 A.3.1, H.265 A.4.2 bound the decoded picture buffer by 16).
    package var reorderDelay: Int {
        // A picture that is shown at rank r and decoded as the n-th shown one (n > r) waits for n - r others.
        var (seen, delay) = (0, 0)
        var highest: Int32 = -1
        for rank in ranks where rank >= 0 {
            highest = max(highest, rank)
            seen += 1
            delay = max(delay, Int(highest) + 1 - seen)
            if delay >= 16 { return 16 }
        }
        return delay
    }
}
