#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import Scrub
internal import ScrubReports

/// `scrub index`: makes and saves indexes ahead of time.
struct IndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Make a video's index now, so that later commands open the video immediately.")

    @OptionGroup var input: FileArguments

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var network: NetworkArguments

    func run() throws {
        try forEachFile([input.medium], json: json) { (_) throws(ScrubError) in
            let asset = try input.open(network)
            let report = asset.openReport
            let (seconds, attoseconds) = report.elapsed.components
            let milliseconds = Double(seconds) * 1e3 + Double(attoseconds) / 1e15
            if json {
                var line = JSONText()
                line.add(path: input.file)
                line.add("origin", report.indexOrigin.rawValue)
                line.add("frameCount", asset.frames.count)
                line.add("milliseconds", milliseconds)
                line.add("bytesRead", report.readByteCount)
                line.add("index", report.savedIndexPath)
                line.add(missing: asset.missingMedia)
                line.add(network: asset.networkCost)
                Terminal.print(line.text)
            } else {
                let how = report.indexOrigin == .saved ? "read from the saved index" : "indexed"
                Terminal.print(
                    "\(asset.path.shown): \(Amount.of(asset.frames.count, "frame")), \(how) in \(Clock.rounded(milliseconds, 1)) ms, "
                        + "\(Amount.of(report.readByteCount, "byte")) read"
                )
                if let path = report.savedIndexPath { Terminal.print("saved to \(path)") }
            }
            // Elsewhere, a cache that cannot be written only costs time; here, writing it is the purpose.
            return report.cacheProblem.map { problem in
                ScrubError(
                    .inputOutput, "the index was not saved: \(problem)", file: asset.path,
                    advice: "set SCRUB_CACHE_DIR to a writable folder")
            }
        }
    }
}
#endif
