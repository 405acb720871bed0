#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import Glibc
internal import ScrubMediaCache
internal import Scrub

/// `scrub cache verify`.
struct CacheVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Read all cache entries and remove damaged ones.",
        discussion: """
            Compares every piece with its checksum. Damaged pieces are removed and fetched again when needed. Other \
            processes may use the cache in the meantime.
            """)

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var quiet: QuietArgument

    func run() throws {
        try reportingErrors(nil) { () throws(ScrubError) in
            let shared = try SharedCache()
            let interrupt = Interrupt()
            let cache = try shared.open()
            let result = interrupt.cancellation.perform { cache?.verify() } ?? .empty
            if json {
                Terminal.print(result.json.text)
            } else {
                for problem in result.problems { Terminal.print("damaged: \(problem)") }
                Terminal.print(
                    "\(Amount.of(result.checked, "piece or file", "pieces and files")) checked, \(Amount.size(result.bytes)), \(result.damaged) damaged and removed"
                )
            }
            guard result.isSound else {
                throw ScrubError(
                    .badData, "\(Amount.of(result.damaged, "piece was", "pieces were")) damaged", file: shared.path,
                    advice: "they have been removed; no further action is needed")
            }
        }
    }
}

/// `scrub cache prune`.
struct CachePruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Enforce the limits now, and remove what interrupted runs left behind.",
        discussion: "Entries in use are kept.")

    @Option(
        help: ArgumentHelp(
            "Also remove entries that have been unused for this long, such as 12h, 30d or 4w.", valueName: "age"))
    var olderThan: String?

    @Option(help: ArgumentHelp("Only remove entries for this address.", valueName: "url"))
    var medium: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    private var age: Int64? { olderThan.flatMap(CachePruneCommand.seconds) }

    func validate() throws {
        if let olderThan, age == nil {
            throw ValidationError("--older-than '\(olderThan)' is not an age: use a value such as 90m, 12h, 30d or 4w")
        }
    }

    @OptionGroup var quiet: QuietArgument

    func run() throws {
        try reportingErrors(nil) { () throws(ScrubError) in
            let name = try medium.map { (address) throws(ScrubError) in try SharedCache.entryName(address) }
            var limits = MediaCacheLimits.standard()
            if let age { limits.maximumAge = min(limits.maximumAge, age) }
            let cache = try SharedCache().open(limits: limits)
            let oldest = Clock.secondsSince1970 - limits.maximumAge
            let removal: CacheRemoval?
            if let name {
                removal = cache?.remove { $0 == name && $1 < oldest }
            } else {
                removal = cache?.prune()
            }
            let done = removal ?? .empty
            Terminal.print(json ? done.json.text : done.text)
        }
    }

    /// Days and weeks, and every form of a time; never a bare number: 5 would be seconds when days are meant.
    private static func seconds(_ text: String) -> Int64? {
        for (unit, length) in [("d", Int64(86_400)), ("w", 604_800)] where text.hasSuffix(unit) {
            guard let count = Int64(text.dropLast()), (0...36_500).contains(count) else { return nil }
            return count * length
        }
        guard Double(text) == nil, let time = TypedSeconds.read(text), time >= .zero else { return nil }
        return Int64(exactly: time.doubleValue.rounded(.up))
    }
}

/// `scrub cache clear`.
struct CacheClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Remove all cache entries that are not in use.",
        discussion: "In a terminal, asks for confirmation unless --yes is given. Entries in use are kept.")

    @Option(help: ArgumentHelp("Remove only what was fetched from this address.", valueName: "url"))
    var medium: String?

    @Flag(help: "Keep indexes, previews and generated sets.")
    var keepIndexes = false

    @Flag(name: [.short, .long], help: "Remove without asking.")
    var yes = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var quiet: QuietArgument

    func run() throws {
        try reportingErrors(nil) { () throws(ScrubError) in
            let name = try medium.map { (address) throws(ScrubError) in try SharedCache.entryName(address) }
            let shared = try SharedCache()
            let cache = try shared.open()
            if let cache, name == nil, !yes, !isWanted(cache.statistics(), shared.path) {
                Terminal.say("nothing was removed")
                return
            }
            let removal: CacheRemoval?
            if let name {
                removal = cache?.remove { address, _ in address == name }
            } else {
                removal = cache?.clear(includesSaved: !keepIndexes)
            }
            let done = removal ?? .empty
            Terminal.print(json ? done.json.text : done.text)
        }
    }

    /// Asks for confirmation if a user can answer.
    private func isWanted(_ found: CacheStatistics, _ path: String) -> Bool {
        let saved = keepIndexes ? 0 : found.savedFiles
        guard isatty(STDIN_FILENO) == 1, Terminal.isWatched, found.media + saved > 0 else { return true }
        var what = Amount.of(found.media, "medium", "media")
        if saved > 0 { what += " and " + Amount.ofSavedFiles(saved) }
        what += ", \(Amount.size(found.allocatedBytes - (keepIndexes ? found.savedBytes : 0)))"
        Terminal.sayRaw("remove \(what), from \(path.shown)? [y/N] ")
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }
}
#endif
