internal import ArgumentParser
internal import Scrub

/// `scrub verify`: proves that frames are right in any order.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Prove that frames are right, however they are asked for.",
        discussion: """
            Decodes each file once from beginning to end with nothing left out, checks that the pictures come out in the \
            order of the frame numbers, then asks for frames forward, backward, at random, each alone, and all at once, \
            and compares every picture by hash. Ends with 65 when one differs. Of several files a bad one is reported, and the \
            others are verified all the same; the exit code is the greatest of all.
            """)

    @Argument(
        help: ArgumentHelp("Videos: files, or http:// and https:// addresses.", valueName: "file"), completion: .file())
    var files: [MediaName]

    @Option(help: "How many frames of each order are compared, besides the first and last sixteen; 0 for all.")
    var sample = 200

    @Option(help: "Orders, with commas: forward, backward, random, alone, batch.")
    var orders: String?

    @OptionGroup var cache: CacheArguments
    @Flag(help: "One JSON object for each file.")
    var json = false

    @OptionGroup var network: NetworkArguments

    private var chosen: [VerificationOrder]? {
        guard let orders else { return VerificationOrder.allCases }
        let found = orders.split(separator: ",").map { VerificationOrder(rawValue: String($0)) }
        return found.contains(nil) || found.isEmpty ? nil : found.compactMap { $0 }
    }

    func validate() throws {
        try OptionRange.check("--sample", sample, 0...100_000_000)
        if chosen == nil {
            let names = VerificationOrder.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--orders '\(orders ?? "")': some of \(names), with commas")
        }
    }

    func run() throws {
        try forEachFile(files) { (file) throws(ScrubError) in
            let wrong = try verify(file)
            guard wrong == 0 else {
                let what = Amount.of(wrong, "picture was", "pictures were")
                throw ScrubError(.badData, "\(what) not what the linear decode gives")
            }
        }
    }

    private func verify(_ file: MediaName) throws(ScrubError) -> Int {
        let asset = try openVideo(file, MediaAccess(cache: cache.choice, network: network))
        let bar = ProgressBar("verifying")
        let report = try asset.verify(
            orders: chosen ?? [], sample: sample == 0 ? asset.frames.count : sample, progress: { bar.show($0) })
        Terminal.print(json ? jsonText(file.shown, asset, report) : text(asset, report))
        return report.faults.count
    }

    private func jsonText(_ file: String, _ asset: VideoAsset, _ report: VerificationReport) -> String {
        var line = JSONText()
        line.add(path: file)
        line.add("pictures", report.pictures)
        line.add("wrong", report.faults.count)
        line.add("damaged", report.damaged)
        line.add("frameCount", asset.frames.count)
        line.add("linearPictures", report.linearPictures)
        line.add("orders", .array(report.orders.map { .string($0.rawValue) }))
        line.add(
            "faults",
            .array(
                report.faults.prefix(100).map { fault in
                    var object = JSONText()
                    object.add("order", fault.order?.rawValue ?? "linear")
                    object.add("frame", fault.frame)
                    object.add("reason", fault.reason)
                    return .object(object)
                }))
        line.add(missing: asset.missing)
        line.add(network: asset.networkCost)
        return line.text
    }

    private func text(_ asset: VideoAsset, _ report: VerificationReport) -> String {
        var text =
            "\(asset.path.shown): \(Amount.of(report.pictures, "picture")) compared, \(report.faults.count) wrong"
        if report.damaged > 0 { text += ", \(report.damaged) called damaged or undecodable" }
        text += " (\(report.orders.map(\.rawValue).joined(separator: ", ")))"
        for fault in report.faults.prefix(20) {
            let how = fault.order.map { ", asked for \($0.rawValue)" } ?? ""
            text += "\n  frame \(fault.frame)\(how): \(fault.reason)"
        }
        return text
    }
}
