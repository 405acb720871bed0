#if CommandLine
/// Under which title each option stands: one table for all commands, so that the same option is found at the same
/// place.
enum HelpGroups {
    /// The titles, in the order of a page.
    static let titles = [
        "What is chosen", "Output", "Where results go", "Following", "Speed and memory", "Network", "Safety",
    ]
    /// The title of options that are in no group of the table; none of ours is.
    static let other = "Other options"

    private static let options: [String: [String]] = [
        "What is chosen": [
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
        "Where results go": ["to", "state", "plex-media", "s3-endpoint"],
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

    /// The groups of options that differ from the one that they have elsewhere.
    private static let exceptions: [String: String] = [
        "convert --to": "What is chosen", "batch run --beside": "Where results go",
        "batch plan --beside": "Where results go", "batch run --replace": "Where results go",
        "batch plan --replace": "Where results go", "batch run --previews": "What is chosen",
        "batch plan --previews": "What is chosen",
    ]

    /// Returns the title of an option; `nil` for arguments, help and version.
    static func title(of argument: HelpTree.Argument, in path: [String]) -> String? {
        guard !argument.isPositional, let name = argument.longName, !["help", "version"].contains(name) else {
            return nil
        }
        return exceptions["\(path.joined(separator: " ")) --\(name)"] ?? titleOfOption[name] ?? other
    }

    /// Returns the topic that describes an option for all commands; `nil` for those that each page has.
    static func topic(of argument: HelpTree.Argument) -> String? {
        guard let name = argument.longName, let title = titleOfOption[name] else { return nil }
        return ["Network", "Safety"].contains(title) ? "network" : nil
    }
}
#endif
