package import ScrubBase
package import ScrubMedia
package import ScrubThumbnails
package import ScrubSources

extension ThumbnailSets.Entry {
    /// Returns the set's facts, for programs.
    ///
    /// - Parameters:
    ///   - report: the report that contains the set; `nil` for the file managers' cache.
    ///   - film: the film's name.
    ///   - missing: the media that the film declares but does not contain.
    ///   - network: the total network cost of all sets.
    ///   - options: the requested options; without ``ThumbnailSets/Options/skipsUpToDateSets`` and
    ///     ``ThumbnailSets/Options/usesKeptPreviews``, their facts are omitted.
    package func json(
        in report: ThumbnailSets?, film: String, options: ThumbnailSets.Options, missing: VideoAsset.MissingMedia?,
        network: NetworkCost?, face: Face
    ) -> JSONText {
        var line = JSONText()
        line.add(path: film)
        line.add("profile", profile.rawValue)
        line.add("folder", folder)
        line.add("thumbnails", thumbnailCount)
        line.add("bytes", byteCount)
        if options.skipsUpToDateSets { line.add("current", isUpToDate) }
        if let report, let plan = report.plan, profile != .freedesktop {
            line.add("tolerance", plan.tolerance.name)
            line.add("approximate", plan.approximateCount)
            line.add("repeats", plan.repeatCount)
            if options.usesKeptPreviews { line.add("fromPreviews", isUpToDate ? nil : report.previewCount) }
        }
        if let report { line.add(warnings: report.warnings, face: face) }
        line.add(missing: missing)
        line.add(network: network)
        return line
    }
}

extension ThumbnailSets.Profile {
    /// Returns the profiles in a comma-separated list; `all` means all of them.
    package static func named(_ text: String) throws(ScrubError) -> [ThumbnailSets.Profile] {
        if text == "all" { return allCases }
        var found: [ThumbnailSets.Profile] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let known = ThumbnailSets.Profile(rawValue: String(name)) else {
                let names = allCases.map(\.rawValue).joined(separator: ", ")
                throw ScrubError.wrongRequest(
                    "there is no profile '\(name)'", advice: "use one or more of \(names), or all")
            }
            if !found.contains(known) { found.append(known) }
        }
        return found
    }
}

extension ThumbnailPlan.Request.Tolerance {
    /// As written on the command line.
    package var name: String {
        switch self {
        case .exact: "exact"
        case .keyframe: "keyframe"
        case .automatic: "auto"
        case .within(let seconds): "\(PlainText.rounded(seconds.doubleValue, 6))s"
        }
    }
}
