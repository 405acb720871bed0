internal import ScrubPlayersLogic
internal import ScrubBase
internal import ScrubMedia

// The player's reports, and those to trackers.
extension PlayerState {
    /// Whether the player was told to play an item that is still opening.
    var isWaitingToLoad: Bool {
        guard machine.wantsToPlay, !playlist.isEnded, let item = playlist.currentItem else { return false }
        return loading[item.id] != nil
    }

    /// Returns the end position of an item that was played to its end.
    func end(of id: PlayerItem.ID) -> Player.Position {
        guard machine.direction == .forward else { return Player.Position(item: id, time: .zero, frame: 0) }
        let asset = loaded[id]?.asset
        return Player.Position(item: id, time: asset?.duration ?? .zero, frame: asset.map { $0.frames.count - 1 })
    }

    /// Records, for an item's trackers, the position at which the item was left, because the player is elsewhere when
    /// they are notified.
    mutating func noteLeaving(_ id: PlayerItem.ID?, at time: Rational) {
        if let id { leaveTimes[id] = time }
    }

    /// Removes and returns the news for the trackers of the current item.
    mutating func takeTrackedMoment() -> ItemTracking.Moment {
        defer { leaveTimes = [:] }
        let item = playlist.currentItem
        guard item?.trackers.isEmpty == false else { return ItemTracking.Moment(item: item, leaveTimes: leaveTimes) }
        let asset = item.flatMap { loaded[$0.id]?.asset }
        let situation = machine.situation(at: lastNow)
        return ItemTracking.Moment(
            item: item,
            properties: PlaybackProperties(
                duration: asset?.duration ?? .zero, rate: machine.rate, state: playbackState(at: lastNow),
                isLikelyToKeepUp: situation.isLikelyToKeepUp, pendingSeekCount: begun.count),
            time: position(at: lastNow).time, asset: asset, isTrackingEnabled: isTrackingEnabled,
            leaveTimes: leaveTimes)
    }

    func position(at now: Int64) -> Player.Position {
        let situation = machine.situation(at: now)
        return Player.Position(
            item: situation.item ?? playlist.currentItem?.id, time: situation.mediaTime.seconds, frame: situation.frame)
    }

    func playbackState(at now: Int64) -> PlaybackState {
        let situation = machine.situation(at: now)
        if let error, situation.hasEnded || situation.item == nil { return .failed(error) }
        guard playlist.currentItem != nil || situation.item != nil else {
            // There are items, and all of them are before the current position.
            return playlist.isEnded && !playlist.isEmpty ? .ended : .idle
        }
        if situation.hasEnded || (playlist.isEnded && situation.item == nil) { return .ended }
        if situation.item == nil || (situation.isWaitingForPicture && situation.frame == nil) { return .preparing }
        if situation.isStalled { return .stalled }
        return situation.isPlaying ? .playing : .paused
    }
}
