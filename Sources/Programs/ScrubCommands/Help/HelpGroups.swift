#if CommandLine
/// The heading under which each option is listed: one table for all commands, so that an option is always in the same
/// place.
enum HelpGroups {
    /// The headings, in page order.
    static let titles = [
        "Selection", "Output", "Destination", "Following", "Speed and memory", "Network", "Safety",
    ]
    /// The heading for options that are not in the table; all of ours are.
    static let other = "Other options"

    private static let options: [String: [String]] = [
        "Selection": [
            "stream", "clamp", "count", "every", "scenes", "at", "min-scene", "threshold", "tolerance", "candidates",
            "cover", "profile", "verify", "info", "poster", "sheet", "sample", "orders", "determinism", "against",
            "interval", "from",
            "loop", "rate", "clock", "script", "made", "begin", "distance", "seconds", "fine", "cost", "requests",
            "shard", "check", "strict", "all", "medium", "older-than", "keep-indexes", "machines", "cores", "read-rate",
        ],
        "Output": [
            "output", "format", "width", "height", "size", "quality", "keep-hdr", "hash", "json", "raw-geometry",
            "words",
            "deinterlace",
            "ground", "columns", "rows", "base-url", "blur-hash", "no-times", "explain", "plan", "wait", "skip-current",
            "beside", "y4m", "times", "raw", "rgb", "records", "png", "terminal", "null", "events", "plot", "binary",
            "copy-only", "log", "metrics", "metrics-port", "metrics-host", "manifest", "dry-run", "prometheus", "yes",
            "host", "port", "open", "token", "as", "quiet", "replace",
        ],
        "Destination": ["to", "state", "plex-media", "s3-endpoint"],
        "Following": ["follow", "patience", "within", "watch", "settle", "delete-gone"],
        "Speed and memory": [
            "threads", "decoders", "memory", "budget", "key-pictures", "preview-side", "previews", "from-previews",
            "warm", "jobs", "cache", "no-cache",
        ],
        "Network": ["header", "allow", "deny", "timeout", "proxy", "cacert"],
        "Safety": ["limit", "sandbox", "no-sandbox"],
    ]

    private static let titleOfOption: [String: String] = Dictionary(
        options.flatMap { title, names in names.map { ($0, title) } }, uniquingKeysWith: { first, _ in first })

    /// Options whose group in a command differs from their usual one.
    private static let exceptions: [String: String] = [
        "convert --to": "Selection", "batch run --beside": "Destination",
        "batch plan --beside": "Destination", "batch run --replace": "Destination",
        "batch plan --replace": "Destination", "batch run --previews": "Selection",
        "batch plan --previews": "Selection",
    ]

    /// Returns the heading of an option; `nil` for arguments, help and version.
    static func title(of argument: HelpTree.Argument, in path: [String]) -> String? {
        guard !argument.isPositional, let name = argument.longName, !["help", "version"].contains(name) else {
            return nil
        }
        return exceptions["\(path.joined(separator: " ")) --\(name)"] ?? titleOfOption[name] ?? other
    }

    /// Returns the topic that describes an option for all commands; `nil` for options that each page describes.
    static func topic(of argument: HelpTree.Argument) -> String? {
        guard let name = argument.longName, let title = titleOfOption[name] else { return nil }
        return ["Network", "Safety"].contains(title) ? "network" : nil
    }
}
#endif
