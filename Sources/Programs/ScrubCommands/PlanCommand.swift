#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import Scrub
internal import ScrubReports

/// `scrub plan`: the pictures that would be decoded for a position.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Show what has to be decoded for an exact frame, without decoding it.")

    @OptionGroup var input: FileArguments

    @Argument(help: "A position such as 42%, 12.5s, 1:02.5, f1234, first or last: see 'scrub help positions'.")
    var position: String

    @OptionGroup var range: ClampArgument

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var network: NetworkArguments

    func run() throws {
        var parsed = FramePosition.first
        try reportingErrors(nil) { () throws(ScrubError) in
            do throws(ScrubError) {
                parsed = try TypedPosition.reading(after: input.medium) { () throws(ScrubError) in
                    try FramePosition(self.position)
                }
            } catch {
                if json {
                    Terminal.print(FileFailure.json(of: error, requested: self.position, in: input.medium).text)
                }
                throw error
            }
        }
        let position = parsed
        try forEachFile([input.medium], json: json) { (_) throws(ScrubError) in
            let asset = try input.open(network)
            let frame = try TypedPosition.frame(self.position, position, in: asset, clamps: range.clamp).frame
            var reader = FrameReader(asset)
            let plan = reader.decodePlan(ofFrame: frame.number)
            try asset.checkReads()
            if json {
                let line = JSONText(
                    plan, requested: self.position, frame: frame.number, network: asset.networkCost)
                Terminal.print(line.text)
            } else {
                let restart = plan.restartFrame.map { "frame \($0)" } ?? "coded picture \(plan.restartPicture)"
                Terminal.print(
                    "frame \(frame.number): start at \(restart), decode \(Amount.of(plan.feed, "picture")), skip \(plan.skip): "
                        + plan.reason)
            }
            return nil
        }
    }
}
#endif
