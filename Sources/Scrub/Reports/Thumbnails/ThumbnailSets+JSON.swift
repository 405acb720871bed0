package import ScrubBase
package import ScrubThumbnails
package import ScrubSources

extension ThumbnailSets.Entry {
    /// Returns the set's facts, for programs.
    ///
    /// - Parameters:
    ///   - report: the report that the set is of; `nil` for file managers' own cache.
    ///   - film: the film's name.
    ///   - network: the network cost of all sets together.
    ///   - options: what was asked for: without ``ThumbnailSets/Options/skipsCurrent`` and
    ///     ``ThumbnailSets/Options/usesKeptPreviews``, what they tell is left out.
    package func json(
        in report: ThumbnailSets?, film: String, options: ThumbnailSets.Options, network: NetworkCost?, face: Face
    ) -> JSONText {
        var line = JSONText()
        line.add(path: film)
        line.add("profile", profile.rawValue)
        line.add("folder", folder)
        line.add("thumbnails", thumbnailCount)
        line.add("bytes", byteCount)
        if options.skipsCurrent { line.add("current", isCurrent) }
        if let report, let plan = report.plan, profile != .freedesktop {
            line.add("tolerance", plan.tolerance.name)
            line.add("approximate", plan.approximateCount)
            line.add("repeats", plan.repeatCount)
            if options.usesKeptPreviews { line.add("fromPreviews", isCurrent ? nil : report.previewCount) }
        }
        if let report { line.add(warnings: report.warnings, face: face) }
        line.add(network: network)
        return line
    }
}

extension ThumbnailSets.Profile {
    /// Returns the profiles that a text names, separated by commas; `all` for all.
    package static func named(_ text: String) throws(ScrubError) -> [ThumbnailSets.Profile] {
        if text == "all" { return allCases }
        var found: [ThumbnailSets.Profile] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let known = ThumbnailSets.Profile(rawValue: String(name)) else {
                let names = allCases.map(\.rawValue).joined(separator: ", ")
                throw ScrubError.wrongRequest("there is no profile '\(name)'", advice: "take some of \(names), or all")
            }
            if !found.contains(known) { found.append(known) }
        }
        return found
    }
}

extension ThumbnailPlan.Request.Tolerance {
    /// As it is written on the command line.
    package var name: String {
        switch self {
        case .exact: "exact"
        case .keyframe: "keyframe"
        case .automatic: "auto"
        case .within(let seconds): "\(PlainText.rounded(seconds.approximation, 6))s"
        }
    }
}
