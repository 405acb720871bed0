internal import ScrubBase
internal import ScrubFileIO
internal import ScrubIndex

extension VideoAsset {
    /// The time that players show when the first frame appears, in seconds, 0 or more.
    ///
    /// Browsers keep the timestamps of MP4, Matroska and WebM containers, with edit lists applied. A video that begins
    /// at 5.3 s shows nothing before that. Players of other containers and of playlists count from the beginning of the
    /// video. A start time of more than 24 hours is a clock time, as in recordings of live streams.
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

    /// Converts a time of players to a time after the first frame.
    ///
    /// - Parameter start: the players' time at the first frame; `nil` for ``playerStart``.
    func filmTime(ofPlayers time: Rational, startingAt start: Rational? = nil) -> Rational {
        min(duration, max(.zero, time.subtracting(start ?? playerStart) ?? time))
    }
}
