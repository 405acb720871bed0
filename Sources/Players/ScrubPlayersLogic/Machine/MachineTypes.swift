package import ScrubBase

/// What happens to frames whose time has passed, or that no presenter accepts yet.
public enum PacePolicy: Sendable, Hashable {
    /// The clock continues: late frames are dropped and counted. For live viewing.
    case drop
    /// The clock waits: every frame is presented. For files, pipes and simulated time.
    case wait
    /// No clock: every frame is presented as soon as it is decoded and a presenter accepts it.
    case unpaced
}

/// What a player does at the end of an item.
public enum ActionAtItemEnd: Sendable, Hashable {
    /// The player continues with the next item.
    case advance
    /// The player pauses on the last frame.
    case pause
}

/// A medium in a player's machine.
package struct MachineItem<Item: Hashable & Sendable>: Sendable {
    package var item: Item
    package var times: any FrameTimes
    /// The frame to begin with; `nil` for the first one in playback order.
    package var startFrame: Int?
    /// The maximum number of pictures that wait to be presented.
    package var queueLimit: Int

    package init(item: Item, times: any FrameTimes, startFrame: Int? = nil, queueLimit: Int) {
        (self.item, self.times, self.startFrame, self.queueLimit) = (item, times, startFrame, max(2, queueLimit))
    }
}

/// The item after the current one.
package enum MachineUpcoming<Item: Hashable & Sendable>: Sendable {
    /// None: playback ends with the current item.
    case nothing
    /// An item whose times are not known yet.
    case loading
    case item(MachineItem<Item>)
}

/// A report from a lane.
package enum PipelineUpdate<Image: Sendable>: Sendable {
    /// The next frame in playback order.
    case frame(FedPicture<Image>)
    /// A picture near the requested first frame, or the preview that ``MachineEffect/showPreview(_:ticket:frame:)``
    /// requested.
    case placeholder(FedPicture<Image>)
    /// A frame has no preview, in answer to ``MachineEffect/showPreview(_:ticket:frame:)``.
    case withoutPreview(Int)
    /// The last frame in playback order was already delivered.
    case end
    case failed(ScrubError)
    /// There was no memory for a picture.
    case starved
    /// No decoder is free.
    case waitingForDecoder
}

/// A frame that a machine presents.
package struct MachinePresentation<Item: Hashable & Sendable, Image: Sendable>: Sendable {
    package enum Kind: Sendable, Hashable {
        case presented, nearest
        /// The frame's own preview, because the exact picture is late.
        case preview
    }

    package var item: Item
    package var picture: FedPicture<Image>
    package var kind: Kind
    /// The playback time before it.
    package var playedTime: ExactTime
    package var sequenceNumber: Int
}

/// The outcome of a presentation.
package enum Acceptance: Sendable, Hashable {
    case taken
    /// No presenter takes it.
    case nobody
    /// The presenter has no room yet, and will report when it has.
    case full
}

/// The time at which a machine must be updated again.
package enum MachineDeadline: Sendable, Hashable {
    /// Not until a caller makes a request or delivers something.
    case idle
    /// At a given clock time.
    case at(Int64)
    /// When there is a picture, when a presenter takes one, and in any case at a given clock time. Simulated time must
    /// not advance.
    case waiting(until: Int64?)
}

/// An effect that a machine requests. Effects are carried out in order.
package enum MachineEffect<Item: Hashable & Sendable>: Sendable {
    case startLane(Int, ticket: Int, item: Item, frame: Int, PlaybackDirection, stride: Int, isLookAhead: Bool)
    /// The lane's look-ahead now belongs to the current item, or is waited for. The lane may wait for a decoder in
    /// line.
    case promoteLane(Int)
    /// There is room for pictures again. A caller is waiting for the next one unless it is `isAhead`.
    case resumeLane(Int, ticket: Int, isAhead: Bool)
    /// The machine is waiting for memory for the next picture. Others may hold pictures whose time has not come.
    case awaitMemory
    /// A frame's exact picture is late: its preview is needed, if one is kept.
    case showPreview(Int, ticket: Int, frame: Int)
    /// The lane's decoder has no more work.
    case stopLane(Int)
    /// The current item's last frame was shown for its duration, and the next item became current.
    case advanced(from: Item, to: Item, isLate: Bool)
    /// The current item ended, and no item follows.
    case ended(Item)
    case stalled
    case resumed(after: Int64)
    case dropped(late: Int, jumped: Int)
    case failed(Item, ScrubError)
    /// A seek completed, after this many coded pictures were decoded for its frame.
    case seekEnded(Int, SeekOutcome, decoded: Int)
    /// A value of ``PlayerMachine/situation`` has changed.
    case changed
}

/// The outcome of a seek.
public enum SeekOutcome: Sendable, Hashable {
    /// The requested frame is shown.
    case landed
    /// A newer seek superseded this one.
    case superseded
    /// The seek's item is no longer current, or failed.
    case abandoned
}
