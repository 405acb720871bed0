package import ScrubBase
package import ScrubThumbnails

extension VideoScene.Options {
    /// Creates the options for finding a film's scenes for thumbnails.
    ///
    /// With key pictures alone, scenes begin at them too. Otherwise the scenes are the same whatever the tolerance.
    ///
    /// - Parameters:
    ///   - maximumSceneCount: the maximum number of scenes; `nil` for no limit.
    ///   - minimumDuration: the shortest scene's duration in seconds.
    package init(
        maximumSceneCount: Int?, minimumDuration: Rational, threadCount: Int?,
        tolerance: ThumbnailPlan.Request.Tolerance
    ) {
        self.init()
        (self.maximumSceneCount, self.minimumDuration, self.threadCount) = (
            maximumSceneCount, minimumDuration, threadCount
        )
        isExact = tolerance != .keyframe
    }
}
