package import ScrubBase
package import ScrubMedia
package import ScrubSources

extension JSONText {
    /// Creates the plan for a frame, as `scrub plan --json` shows it.
    ///
    /// - Parameter requested: the position as it was written.
    package init(_ plan: PlanSummary, requested: String, frame: Int, network: NetworkCost?) {
        self.init()
        add("requested", requested)
        add("frame", frame)
        add("restart", plan.restartFrame)
        add("restartPicture", plan.restartPicture)
        add("feed", plan.feed)
        add("skip", plan.skip)
        add("why", plan.reason)
        add(network: network)
    }
}
