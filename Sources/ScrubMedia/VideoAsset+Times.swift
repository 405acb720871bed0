internal import ScrubIndex

extension VideoAsset {
    /// When a frame comes on screen, in seconds after the first one.
    ///
    /// - Precondition: the frame exists.
    public func time(ofFrame number: Int) -> Rational {
        precondition(frames.indices.contains(number), "frame \(number)")
        return Rational(checked: index.offset(ofFrame: number), 1)?.multiplied(by: index.facts.timeBase) ?? .zero
    }
}
