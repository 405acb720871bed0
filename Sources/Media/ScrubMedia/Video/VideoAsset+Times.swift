internal import ScrubIndex

extension VideoAsset {
    /// Returns the time at which a frame appears on screen, in seconds after the first frame.
    ///
    /// - Precondition: the frame exists.
    package func time(ofFrame number: Int) -> Rational {
        frames.require(number)
        return Rational(units: index.offset(ofFrame: number), of: index.facts.timeBase)
    }
}
