#if CommandLine
internal import ArgumentParser
internal import ScrubMediaCache
internal import Scrub
internal import ScrubBase

/// `scrub cache list`.
struct CacheListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the cache entries, least recently used first.")

    @Option(help: ArgumentHelp("List only what was fetched from this address.", valueName: "url"))
    var medium: String?

    @Flag(help: "Also list each index, preview file and generated set (--json always lists them).")
    var all = false

    @Flag(help: "Print one JSON object for each entry.")
    var json = false

    @OptionGroup var quiet: QuietArgument

    func run() throws {
        try reportingErrors(nil) { () throws(ScrubError) in
            let name = try medium.map { (address) throws(ScrubError) in try SharedCache.entryName(address) }
            let shared = try SharedCache()
            let entries = (try shared.open()?.entries() ?? []).filter { name == nil || $0.name == name }
            if json {
                for entry in entries { Terminal.print(entry.json.text) }
                return
            }
            let now = Clock.secondsSince1970
            for entry in entries where entry.total != nil || all { Terminal.print(row(entry, now)) }
            let saved = entries.filter { $0.total == nil }
            if entries.isEmpty {
                Terminal.say(name.map { "there are no entries for \($0)" } ?? "there are no entries in \(shared.path)")
            } else if !all, !saved.isEmpty {
                let bytes = saved.reduce(0) { $0 + $1.bytes }
                Terminal.print("\(Amount.ofSavedFiles(saved.count)), \(Amount.size(bytes))")
            }
        }
    }

    private func row(_ entry: CacheEntry, _ now: Int64) -> String {
        var text = "\(entry.name)\t\(Amount.size(entry.bytes))"
        if let total = entry.total, total > 0 {
            text += " of \(Amount.size(total)) (\(Clock.rounded(Double(entry.bytes) / Double(total) * 100, 1)) %)"
        }
        text += "\tused \(Amount.age(max(0, now - entry.used)))"
        if entry.isInUse { text += ", open now" }
        return text
    }
}

/// `scrub cache stats`.
struct CacheStatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Show how much data is kept, how often it was used, and the limits.")

    @Flag(help: "Print the statistics in Prometheus text format, including figures for each address.")
    var prometheus = false

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        if json, prometheus {
            throw ValidationError("--json and --prometheus cannot be combined: use one of them")
        }
    }

    @OptionGroup var quiet: QuietArgument

    func run() throws {
        try reportingErrors(nil) { () throws(ScrubError) in
            let shared = try SharedCache()
            let cache = try shared.open()
            let statistics = cache?.statistics() ?? .empty
            if prometheus {
                try Terminal.write(Array(statistics.prometheus(cache?.entries() ?? []).utf8))
            } else {
                Terminal.print(json ? statistics.json.text : text(statistics, shared.path))
            }
        }
    }

    private func text(_ found: CacheStatistics, _ path: String) -> String {
        func row(_ name: String, _ value: String) -> String {
            name + String(repeating: " ", count: max(1, 10 - name.count)) + value
        }
        let limits = found.limits
        let reads = found.hits + found.misses
        let part = reads > 0 ? " (\(Clock.rounded(Double(found.hits) / Double(reads) * 100, 1)) %)" : ""
        let saved = Amount.ofSavedFiles(found.savedFiles)
        return [
            row("folder", path.shown),
            row(
                "kept",
                "\(Amount.of(found.media, "medium", "media")) and \(saved), \(Amount.size(found.allocatedBytes)) on disk"
            ),
            row("reads", "\(found.hits) of \(reads) served from the cache\(part)"),
            row("network", "\(Amount.size(found.bytesFetched)) fetched, \(Amount.size(found.bytesSaved)) saved"),
            row(
                "removed",
                "\(Amount.of(found.evictions, "medium", "media")) to free space, \(Amount.of(found.damaged, "piece")) because of damage"
            ),
            row(
                "limits",
                "\(Amount.size(limits.byteLimit)), \(Amount.of(limits.entryLimit, "medium", "media")), \(Amount.of(limits.maximumAge / 86_400, "day")) unused; revalidated after \(Amount.of(limits.timeToLive / 86_400, "day"))"
            ),
        ].joined(separator: "\n")
    }
}
#endif
