internal import ScrubBase

extension FramePosition {
    /// Returns whether a time is outside a presentation whose times begin at 0.
    ///
    /// - Parameters:
    ///   - edge: the ends; `nil` if the frame that was found is not the last one.
    ///   - unit: the duration of a unit of its times, in seconds.
    func lies(outside edge: StreamIndex.Edge?, unit: Rational) -> Bool {
        switch kind {
        case .time(let seconds):
            return seconds < .zero || edge.map { seconds > $0.end } ?? false
        case .roundedTime(let seconds, let decimals):
            let scale = (0..<min(max(decimals, 0), 18)).reduce(Int64(1)) { scale, _ in scale * 10 }
            let digit = Rational(1, scale)
            if seconds < .zero { return seconds.magnitude >= digit }
            guard let edge, seconds > edge.end else { return false }
            return seconds.subtracting(edge.end).map { $0 >= digit } ?? true
        case .computedTime(let time):
            let place = time.seconds.parts(of: unit)
            if place < 0 {
                return !time.names(next: 0, at: place, own: nil, gap: 4 * ComputedTime.unitParts, unit: unit)
            }
            guard let edge else { return false }
            let (end, last) = (edge.end.parts(of: unit), edge.last.parts(of: unit))
            return place > end && !time.reaches(place - end, lastDuration: end - last, unit: unit)
        case .fraction, .frame, .timecode: return false
        }
    }
}
