/// The program's own control group (version 2), according to the kernel's files.
enum ControlGroup {
    /// Returns the group's folder; `nil` if there is no version 2 group, or if it is not mounted here.
    ///
    /// - Parameters:
    ///   - group: the text of `/proc/self/cgroup`: lines of `0::/path`.
    ///   - mounts: the text of `/proc/self/mountinfo` (proc_pid_mountinfo(5)).
    static func folder(group: String, mounts: String) -> String? {
        guard let path = group.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })?.dropFirst(3),
            !path.hasPrefix("/../")
        else { return nil }
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 6, let dash = fields.dropFirst(6).firstIndex(of: "-"),
                fields.indices.contains(dash + 1), fields[dash + 1] == "cgroup2"
            else { continue }
            // If only a part is mounted, that part's own path is not included.
            let (root, place) = (unescaped(fields[3]), unescaped(fields[4]))
            let below: Substring
            if root == "/" {
                below = path
            } else if path == root || path.hasPrefix(root + "/") {
                below = path.dropFirst(root.count)
            } else {
                continue
            }
            return below == "/" || below.isEmpty ? place : place + below
        }
        return nil
    }

    /// Replaces escapes such as `\040` for a blank.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
