extension ScrubGesture {
    /// Returns the frame reached by pressing an arrow key `count` times. A negative count moves left.
    ///
    /// - Parameters:
    ///   - frame: the frame on screen. If it does not exist, the nearest existing frame is used.
    ///   - count: the number of frames to move. Movement stops at the first or last frame.
    ///   - frameCount: the number of frames in the medium.
    /// - Returns: a frame in 0..<frameCount, or 0 if the medium has no frames.
    public static func step(from frame: Int, by count: Int, frameCount: Int) -> Int {
        guard frameCount > 0 else { return 0 }
        let last = frameCount - 1
        let (sum, overflow) = min(max(frame, 0), last).addingReportingOverflow(count)
        // An overflow started at 0 or above, so it can only have gone too far to the right.
        return overflow ? last : min(max(sum, 0), last)
    }
}
