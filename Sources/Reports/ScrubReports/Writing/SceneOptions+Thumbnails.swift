package import ScrubBase
package import ScrubThumbnails

extension VideoScene.Options {
    /// Creates the options for finding a film's scenes for thumbnails.
    ///
    /// With key pictures alone, scenes begin at them too. Otherwise the scenes are the same whatever the tolerance.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of scenes; `nil` for no limit.
    ///   - minimumLength: the shortest scene's length in seconds.
    package init(
        limit: Int?, minimumLength: Rational, threadCount: Int?, tolerance: ThumbnailPlan.Request.Tolerance
    ) {
        self.init()
        (self.limit, self.minimumLength, self.threadCount) = (limit, minimumLength, threadCount)
        isExact = tolerance != .keyframe
    }
}
