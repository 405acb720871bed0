package import ScrubBase

/// The treatment of frames whose time has passed, or that no presenter takes yet.
public enum PacePolicy: Sendable, Hashable {
    /// The clock runs on: late frames are left out and counted. For people who look on.
    case drop
    /// The clock waits: every frame is presented. For files, pipes and simulated time.
    case wait
    /// Without a clock: every frame is presented as soon as it is decoded and a presenter takes it.
    case unpaced
}

/// The action of a player at the end of an item.
public enum ActionAtItemEnd: Sendable, Hashable {
    /// It goes on with the next item.
    case advance
    /// It pauses on the last frame.
    case pause
}

/// A medium on its way through a player's machine.
package struct MachineItem<Item: Hashable & Sendable>: Sendable {
    package var item: Item
    package var times: any FrameTimes
    /// The frame to begin with; `nil` for the first one in play order.
    package var startFrame: Int?
    /// The most pictures that wait to be presented.
    package var queueLimit: Int

    package init(item: Item, times: any FrameTimes, startFrame: Int? = nil, queueLimit: Int) {
        (self.item, self.times, self.startFrame, self.queueLimit) = (item, times, startFrame, max(2, queueLimit))
    }
}

/// The item after the current one.
package enum MachineUpcoming<Item: Hashable & Sendable>: Sendable {
    /// Nothing: the current item's end is the end.
    case nothing
    /// An item whose times are not known yet.
    case loading
    case item(MachineItem<Item>)
}

/// The news of a lane.
package enum LaneNews<Image: Sendable>: Sendable {
    /// The next frame in play order.
    case frame(FedPicture<Image>)
    /// A picture near the first frame that was asked for, or the preview that
    /// ``MachineEffect/showPreview(_:ticket:frame:)`` asked for.
    case placeholder(FedPicture<Image>)
    /// A frame has no preview that ``MachineEffect/showPreview(_:ticket:frame:)`` asked for.
    case withoutPreview(Int)
    /// The last frame in play order came before.
    case end
    case failed(ScrubError)
    /// There was no memory for a picture.
    case starved
    /// No decoder is free: others have them all.
    case waitingForDecoder
}

/// A frame that a machine wants presented.
package struct MachinePresentation<Item: Hashable & Sendable, Image: Sendable>: Sendable {
    package enum Kind: Sendable, Hashable {
        case presented, nearest
        /// The frame's own preview: the exact picture is late.
        case preview
    }

    package var item: Item
    package var picture: FedPicture<Image>
    package var kind: Kind
    /// The time that was played before it.
    package var playedTime: ExactTime
    package var sequenceNumber: Int
}

/// The outcome of a presentation.
package enum Acceptance: Sendable, Hashable {
    case taken
    /// No presenter takes it.
    case nobody
    /// The presenter has no room yet, and says when it has.
    case full
}

/// The time at which a machine wants to be examined again.
package enum MachineDeadline: Sendable, Hashable {
    /// Not before a caller asks or brings something.
    case idle
    /// At a time of the clock.
    case at(Int64)
    /// The deadline comes with a picture or when a presenter takes one, and at a time of the clock all the same:
    /// simulated time must not run on.
    case waiting(until: Int64?)
}

/// A machine's wishes, in this order.
package enum MachineEffect<Item: Hashable & Sendable>: Sendable {
    case startLane(Int, ticket: Int, item: Item, frame: Int, PlaybackDirection, stride: Int, isLookAhead: Bool)
    /// The lane's preparation for later is the current item's now, or is waited for: it may wait for a decoder in line.
    case promoteLane(Int)
    /// There is room for pictures again; something waits for the next one unless it is `isAhead`.
    case resumeLane(Int, ticket: Int, isAhead: Bool)
    /// Memory for the next picture is waited for: others may have pictures that wait for their time.
    case awaitMemory
    /// A frame's exact picture is late: its preview is wanted, where one is kept.
    case showPreview(Int, ticket: Int, frame: Int)
    /// The lane's decoder has nothing more to do.
    case stopLane(Int)
    /// The current item's last frame was on screen for its time, and the next item took its place.
    case advanced(from: Item, to: Item, isLate: Bool)
    /// The current item ended and nothing follows.
    case ended(Item)
    case stalled
    case resumed(after: Int64)
    case dropped(late: Int, jumped: Int)
    case failed(Item, ScrubError)
    /// A seek is over, after so many coded pictures were decoded for its frame.
    case seekEnded(Int, SeekOutcome, decoded: Int)
    /// A value of ``PlayerMachine/situation`` has changed.
    case changed
}

/// The end of a seek.
public enum SeekOutcome: Sendable, Hashable {
    /// The frame that was asked for is shown.
    case landed
    /// A newer seek took its place.
    case superseded
    /// The item it was meant for is no longer the current one, or failed.
    case abandoned
}
