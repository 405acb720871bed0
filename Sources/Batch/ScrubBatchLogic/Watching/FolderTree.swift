/// The watched folders, by name: which watch belongs to which folder, and where each folder is now.
///
/// Memory: about 250 bytes and the name for each folder.
package struct FolderTree: Sendable {
    /// A folder's number here, which is never reused.
    package typealias ID = Int

    package struct Node: Sendable {
        package let parent: ID?
        /// Its name in the folder above; a root's whole path.
        package let name: String
        package fileprivate(set) var children: [ExactName: ID] = [:]
        /// The kernel's watch number, if it is watched.
        package fileprivate(set) var watch: Int32?
        /// Whether the folder has to be polled, because the system does not notify of all changes in it.
        package var isPolled = false
        /// The state at the last check: the time of its names' last change.
        package var mark: Int64?
    }

    private var nodes: [ID: Node] = [:]
    private var watches: [Int32: ID] = [:]
    private var next: ID = 0

    package init() {}

    package var count: Int { nodes.count }
    package var watchCount: Int { watches.count }
    package func node(_ id: ID) -> Node? { nodes[id] }
    package func folder(watch: Int32) -> ID? { watches[watch] }

    /// The folders that have to be polled, the oldest first.
    package var polled: [ID] { nodes.filter { $0.value.isPolled }.keys.sorted() }

    /// Adds a root.
    package mutating func add(root path: String) -> ID { add(Node(parent: nil, name: path)) }

    /// Adds a folder, if it is not there.
    ///
    /// - Returns: `nil` if the parent folder is not there.
    package mutating func add(_ name: String, in parent: ID) -> ID? {
        guard let above = nodes[parent] else { return nil }
        if let known = above.children[ExactName(name)] { return known }
        let id = add(Node(parent: parent, name: name))
        nodes[parent]?.children[ExactName(name)] = id
        return id
    }

    private mutating func add(_ node: Node) -> ID {
        next += 1
        nodes[next] = node
        return next
    }

    /// Returns a folder's path; `nil` for one that no longer exists.
    package func path(_ id: ID) -> String? {
        var parts: [String] = []
        var place: ID? = id
        while let id = place {
            guard let node = nodes[id] else { return nil }
            parts.append(node.name)
            place = node.parent
        }
        guard parts.count > 1, parts.last == "/" else { return parts.reversed().joined(separator: "/") }
        return "/" + parts.dropLast().reversed().joined(separator: "/")
    }

    /// Sets a folder's kernel watch number. Another folder that had the number is no longer watched: it is the same
    /// folder, in two places.
    package mutating func watch(_ id: ID, as watch: Int32) {
        guard nodes[id] != nil else { return }
        if let other = watches[watch], other != id { nodes[other]?.watch = nil }
        nodes[id]?.watch = watch
        watches[watch] = id
    }

    /// Records that a folder has to be polled.
    package mutating func poll(_ id: ID, mark: Int64?) {
        nodes[id]?.isPolled = true
        nodes[id]?.mark = mark
    }

    /// Removes a folder and everything below it.
    ///
    /// - Returns: the watches of all of them.
    package mutating func remove(_ id: ID) -> [Int32] {
        guard let node = nodes[id] else { return [] }
        if let parent = node.parent { nodes[parent]?.children[ExactName(node.name)] = nil }
        var ended: [Int32] = []
        var stack = [id]
        while let id = stack.popLast() {
            guard let node = nodes.removeValue(forKey: id) else { continue }
            if let watch = node.watch {
                watches[watch] = nil
                ended.append(watch)
            }
            stack += node.children.values
        }
        return ended
    }
}
