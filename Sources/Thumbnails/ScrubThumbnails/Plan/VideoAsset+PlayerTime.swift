internal import ScrubBase
internal import ScrubFileIO
internal import ScrubIndex

extension VideoAsset {
    /// The time that players show when the first frame comes on screen, in seconds: 0 or more.
    ///
    /// Browsers keep the times of MP4 and of Matroska with WebM as the container has them, with its edit lists: a film
    /// that begins at 5.3 s shows nothing before. Players of other containers, and of playlists, count from where the
    /// film begins. A start of more than a day is the time of a clock, as in recordings of live streams.
    package var playerStart: Rational {
        let container = index.facts.container
        guard container.hasPrefix("mov,") || container.hasPrefix("matroska,"), !(file.source is any SegmentedSource)
        else { return .zero }
        let units = Rational(checked: index.presentationTime(ofFrame: 0), 1)
        guard let start = units?.multiplied(by: index.facts.timeBase), start > .zero, start <= Rational(86_400) else {
            return .zero
        }
        return start
    }

    /// The time that players show at the end of the last frame, in seconds.
    var playerEnd: Rational { duration.adding(playerStart) ?? duration }

    /// Returns the time after the first frame that a time of players is.
    ///
    /// - Parameter start: their time at the first frame; `nil` for ``playerStart``.
    func filmTime(ofPlayers time: Rational, startingAt start: Rational? = nil) -> Rational {
        min(duration, max(.zero, time.subtracting(start ?? playerStart) ?? time))
    }
}
