extension ScrubGesture {
    /// Returns the frame that `count` presses of an arrow key lead to, negative ones to the left.
    ///
    /// - Parameters:
    ///   - frame: the frame on screen; one that does not exist counts as the nearest that does.
    ///   - count: frames to go; too many end at the first or last frame.
    ///   - frameCount: frames of the medium.
    /// - Returns: a frame in 0..<frameCount, or 0 if the medium has no frames.
    public static func step(from frame: Int, by count: Int, frameCount: Int) -> Int {
        guard frameCount > 0 else { return 0 }
        let last = frameCount - 1
        let (sum, overflow) = min(max(frame, 0), last).addingReportingOverflow(count)
        // What overflows started at 0 or above: it can only have gone too far to the right.
        return overflow ? last : min(max(sum, 0), last)
    }
}
