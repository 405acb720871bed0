#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import Scrub
internal import ScrubReports
internal import ScrubMedia

/// `scrub verify`: proves that frames are correct in any order.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify that frames are correct, no matter how they are requested.",
        discussion: """
            Decodes each file once from start to end. Then requests frames in forward, backward and random order, each \
            frame alone, and all frames in one batch, and compares every picture by its hash. With --determinism, \
            requests the same frames again with 1, 2 and 8 threads and with other processor instructions; the results \
            must not change. If there are several files and one fails, the others are still verified, and the \
            command exits with the greatest exit code.
            """)

    @OptionGroup var input: FilesArguments

    @Option(
        help: """
            How many frames to compare in each order, in addition to the first and last sixteen; 0 means all. Default: \
            200, or fewer if 200 would cost more than ten linear decodes.
            """)
    var sample: Int?

    @Option(
        help:
            "The orders in which to request frames, separated by commas: forward, backward, random, alone, batch. Default: all of them."
    )
    var orders: String?

    @Flag(
        help:
            "Repeat the requests with other thread counts and other processor instructions, and check that the results do not change."
    )
    var determinism = false

    @Flag(help: "Print one JSON object for each file.")
    var json = false

    @OptionGroup var network: NetworkArguments

    private var chosen: [VideoAsset.VerificationOrder]? {
        guard let orders else { return VideoAsset.VerificationOrder.allCases }
        return VideoAsset.VerificationOrder.named(orders)
    }

    func validate() throws {
        if let sample { try OptionRange.check("--sample", sample, 0...100_000_000) }
        if chosen == nil {
            let names = VideoAsset.VerificationOrder.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError(
                "--orders '\(orders ?? "")' contains an unknown order: use one or more of \(names), separated by commas"
            )
        }
    }

    func run() throws {
        try forEachFile(input.files, json: json) { (file) throws(ScrubError) in try verify(file) }
    }

    /// - Returns: the error in the pictures, which has already been reported.
    private func verify(_ file: MediaName) throws(ScrubError) -> ScrubError? {
        let asset = try input.open(file, network)
        let bar = ProgressBar("verifying")
        let count = sample == 0 ? asset.frames.count : sample ?? 200
        let share = determinism ? 0.4 : 1
        let report = try asset.verify(
            orders: chosen ?? [], sample: sample.map { _ in count }, progress: { bar.show(($0.fraction ?? 0) * share) })
        let repeated =
            determinism
            ? try asset.checkDeterminism(
                numbers: asset.spread(count), progress: { bar.show(share + ($0.fraction ?? 0) * (1 - share)) })
            : nil
        let wrong = report.faults.count + (repeated?.differences.count ?? 0)
        let failure = wrong == 0 ? nil : ScrubError.wrongPictures(wrong)
        Terminal.print(json ? jsonText(file, asset, report, repeated, failure) : text(asset, report, repeated))
        return failure
    }

    private func jsonText(
        _ file: MediaName, _ asset: VideoAsset, _ report: VideoAsset.VerificationReport, _ repeated: DeterminismReport?,
        _ failure: ScrubError?
    ) -> String {
        var line = report.json(of: asset, film: file.shown)
        if let repeated { line.add("determinism", .object(repeated.json)) }
        line.add(missing: asset.missingMedia)
        line.add(network: asset.networkCost)
        if let failure { FileFailure.add(failure, in: file, to: &line) }
        return line.text
    }

    private func text(_ asset: VideoAsset, _ report: VideoAsset.VerificationReport, _ repeated: DeterminismReport?)
        -> String
    {
        var text =
            "\(asset.path.shown): \(Amount.of(report.comparedFrameCount, "picture")) compared, \(report.faults.count) wrong"
        if report.damagedFrameCount > 0 { text += ", \(report.damagedFrameCount) reported as damaged or undecodable" }
        let counts = report.orders.map { "\($0.rawValue) \(report.comparedFrameCounts[$0] ?? 0)" }
        text += " (\(counts.joined(separator: ", ")) of \(Amount.of(asset.frames.count, "frame")))"
        for fault in report.faults.prefix(20) {
            let how = fault.order.map { ", requested \($0.rawValue)" } ?? ""
            text += "\n  frame \(fault.frame)\(how): \(fault.reason)"
        }
        if let repeated {
            let runs = Amount.of(repeated.runs * repeated.settings.count, "run")
            text +=
                "\n  \(runs) with other thread counts and instructions: \(Amount.of(repeated.differences.count, "result")) changed"
            if repeated.dependentFrames > 0 {
                let frames = Amount.of(repeated.dependentFrames, "frame differs", "frames differ")
                text += "; \(frames) because FFmpeg's own output depends on the processor instructions"
            }
            for difference in repeated.differences.prefix(20) { text += "\n  \(difference.text)" }
        }
        return text
    }
}
#endif
