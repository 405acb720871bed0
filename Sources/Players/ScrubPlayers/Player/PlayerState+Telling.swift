internal import ScrubPlayersLogic
internal import ScrubBase
internal import ScrubMedia

// What a player says of itself, and tells trackers.
extension PlayerState {
    /// A Boolean value that indicates whether the player is told to play an item that opens.
    var isWaitingToLoad: Bool {
        guard machine.wantsToPlay, !playlist.isEnded, let item = playlist.currentItem else { return false }
        return loading[item.id] != nil
    }

    /// Returns the position of an item that was played to its end.
    func end(of id: PlayerItem.ID) -> Player.Position {
        guard machine.direction == .forward else { return Player.Position(item: id, time: .zero, frame: 0) }
        let asset = loaded[id]?.asset
        return Player.Position(item: id, time: asset?.duration ?? .zero, frame: asset.map { $0.frames.count - 1 })
    }

    /// Keeps for an item's trackers where it was left: by the time that they are told the player is elsewhere.
    mutating func noteLeaving(_ id: PlayerItem.ID?, at time: Rational) {
        if let id { leaveTimes[id] = time }
    }

    /// Takes the news for the trackers of the current item.
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
            // Items are there, and all of them lie behind it.
            return playlist.isEnded && !playlist.isEmpty ? .ended : .idle
        }
        if situation.hasEnded || (playlist.isEnded && situation.item == nil) { return .ended }
        if situation.item == nil || (situation.isWaitingForPicture && situation.frame == nil) { return .preparing }
        if situation.isStalled { return .stalled }
        return situation.isPlaying ? .playing : .paused
    }
}
