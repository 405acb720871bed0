package import ScrubBase
package import ScrubThumbnails

extension VideoScene.Options {
    /// Creates the options with which scenes are found for thumbnails.
    ///
    /// With key pictures alone, scenes begin at them too. Otherwise the scenes are the same whatever the tolerance.
    ///
    /// - Parameters:
    ///   - limit: the most scenes; `nil` for no limit.
    ///   - minimumLength: seconds of the shortest scene.
    package init(
        limit: Int?, minimumLength: Rational, threadCount: Int?, tolerance: ThumbnailPlan.Request.Tolerance
    ) {
        self.init()
        (self.limit, self.minimumLength, self.threadCount) = (limit, minimumLength, threadCount)
        isExact = tolerance != .keyframe
    }
}
