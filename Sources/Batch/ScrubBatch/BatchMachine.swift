internal import ScrubFileIO
internal import ScrubBase

/// The machine's resources that a batch may use: as much as its container allows, if it runs in one.
package enum BatchMachine {
    /// Processors: those that this process may run on, or fewer if a control group gives it less time (cgroup-v2,
    /// `cpu.max`).
    package static var coreCount: Int {
        var count = Processors.count
        for text in groupFiles("cpu.max") {
            let words = text.split(whereSeparator: \.isWhitespace)
            guard words.count == 2, let quota = Int(words[0]), let period = Int(words[1]), quota > 0, period > 0 else {
                continue
            }
            count = min(count, processors(quota, period))
        }
        // Version 1 keeps a tree for each controller, and -1 means no limit.
        for (quota, period) in zip(
            groupFiles("cpu.cfs_quota_us", controller: "cpu"), groupFiles("cpu.cfs_period_us", controller: "cpu"))
        {
            guard let quota = Int(quota.filter { !$0.isWhitespace }), quota > 0,
                let period = Int(period.filter { !$0.isWhitespace }), period > 0
            else { continue }
            count = min(count, processors(quota, period))
        }
        return count
    }

    private static func processors(_ quota: Int, _ period: Int) -> Int {
        max(1, quota / period + (quota % period == 0 ? 0 : 1))
    }

    /// The default bytes for decoding: half of the machine's memory, or of the memory that the control group allows
    /// (`memory.max`).
    package static var memory: Int {
        var bytes = 2 << 30
        if let text = SystemFile.text("/proc/meminfo"),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("MemTotal:") }),
            let word = line.split(separator: " ").dropFirst().first, let kibibytes = Int(word), kibibytes < 1 << 50
        {
            bytes = kibibytes << 10
        }
        for text in groupFiles("memory.max") + groupFiles("memory.limit_in_bytes", controller: "memory") {
            if let limit = Int(text.filter(\.isNumber)), limit > 0 { bytes = min(bytes, limit) }
        }
        return max(64 << 20, bytes / 2)
    }

    /// Returns a setting of this process's control group and of the groups above it.
    ///
    /// - Parameter controller: the controller for version 1; `nil` for version 2.
    private static func groupFiles(_ name: String, controller: String? = nil) -> [String] {
        guard let groups = SystemFile.text("/proc/self/cgroup") else { return [] }
        // A line is `number:controllers:path` (cgroups(7)); for version 2, it has no controllers.
        var path: String?
        for line in groups.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let isIts = controller.map { parts[1].split(separator: ",").contains(Substring($0)) } ?? parts[1].isEmpty
            if isIts { path = String(parts[2]) }
        }
        guard var path else { return [] }
        let root = "/sys/fs/cgroup" + (controller.map { "/" + $0 } ?? "")
        var found: [String] = []
        // In a container, the path is relative to the group's own root.
        while true {
            if let text = SystemFile.text(root + (path == "/" ? "" : path) + "/" + name) { found.append(text) }
            guard path != "/", !path.isEmpty else { return found }
            path = Folder.folder(of: path) ?? "/"
        }
    }
}
