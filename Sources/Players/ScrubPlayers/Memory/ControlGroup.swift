/// The program's own control group (version 2), as the kernel's files tell it.
enum ControlGroup {
    /// Returns the group's folder; nil if there is none of version 2, or it is not mounted here.
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
            // Of a mount of a part, the part's own path does not count.
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

    /// Blanks and their like are written as `\040`.
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
