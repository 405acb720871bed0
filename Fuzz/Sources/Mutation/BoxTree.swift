/// A box of an ISO base media file, as leniently as it can be understood.
struct BoxNode {
    var type: [UInt8]
    /// The size as the file has it, and in how many bytes; 0 where it reached to the end.
    var statedSize: UInt64
    var isLong: Bool
    /// The bytes before the children: version and flags, counts, a sample entry's own fields; all of it in a leaf.
    var content: [UInt8]
    var children: [BoxNode] = []
    /// A size to write whatever it contains.
    var forcedSize: UInt64?

    /// Bytes with the header, if sizes are true.
    var byteCount: Int { (isLong ? 16 : 8) + content.count + children.reduce(0) { $0 + $1.byteCount } }
    var isLeaf: Bool { children.isEmpty }

    /// Returns the number of bytes of a box's content before its children; `nil` for a box without.
    private static func prefix(of type: [UInt8], in parent: [UInt8]?) -> Int? {
        let name = String(decoding: type, as: UTF8.self)
        if parent.map({ String(decoding: $0, as: UTF8.self) }) == "stsd" {
            return ["mp4a", "Opus", "ac-3", "twos", "sowt", "text", "tmcd", "tx3g"].contains(name) ? nil : 78
        }
        return switch name {
        case "moov", "trak", "mdia", "minf", "stbl", "edts", "dinf", "mvex", "moof", "traf", "mfra", "udta", "sinf",
            "schi", "tapt", "gmhd":
            0
        case "meta": 4
        case "stsd", "dref": 8
        default: nil
        }
    }

    /// Returns the boxes of a range; bytes at its end that are not a box come back as the rest.
    static func parse(
        _ bytes: [UInt8], _ range: Range<Int>, parent: [UInt8]? = nil, depth: Int = 0
    ) -> (boxes: [BoxNode], rest: [UInt8]) {
        var boxes: [BoxNode] = []
        var place = range.lowerBound
        while place + 8 <= range.upperBound {
            let type = Array(bytes[place + 4..<place + 8])
            let stated = bytes.number(at: place, width: 4)
            let isLong = stated == 1 && place + 16 <= range.upperBound
            let header = isLong ? 16 : 8
            let size = isLong ? bytes.number(at: place + 8, width: 8) : stated
            let room = UInt64(range.upperBound - place)
            // A box that ends behind the range is cut there, as readers do.
            guard size == 0 || size >= UInt64(header), type.allSatisfy({ $0 >= 0x20 || $0 == 0xA9 }) else { break }
            let end = place + Int(size == 0 ? room : min(size, room))
            let body = place + header..<end
            var node = BoxNode(type: type, statedSize: size, isLong: isLong, content: [])
            if size > room { node.forcedSize = size }
            if depth < 10, let prefix = prefix(of: type, in: parent), body.count > prefix {
                let inner = parse(bytes, body.lowerBound + prefix..<body.upperBound, parent: type, depth: depth + 1)
                node.content = Array(bytes[body.lowerBound..<body.lowerBound + prefix])
                node.children = inner.boxes
                if !inner.rest.isEmpty {
                    // Bytes behind the last box: kept as a box that is written without a header.
                    node.children.append(BoxNode(type: [], statedSize: 0, isLong: false, content: inner.rest))
                }
            } else {
                node.content = Array(bytes[body])
            }
            boxes.append(node)
            place = end
        }
        return (boxes, Array(bytes[place..<range.upperBound]))
    }

    /// Writes the box.
    ///
    /// - Parameter keepsSizes: whether each box says the size that it had in the file.
    func write(to out: inout [UInt8], keepsSizes: Bool) {
        let start = out.count
        guard !type.isEmpty else {
            out += content
            return
        }
        let size = forcedSize ?? (keepsSizes ? statedSize : UInt64(byteCount))
        let isLong = self.isLong || size > UInt64(UInt32.max)
        out += [UInt8](isLong ? 1 : size, width: 4) + type
        if isLong { out += [UInt8](size, width: 8) }
        out += content
        for child in children { child.write(to: &out, keepsSizes: keepsSizes) }
        assert(out.count >= start + 8)
    }
}

/// A whole file of boxes.
struct BoxTree {
    var boxes: [BoxNode]
    private let rest: [UInt8]
    private let mediaStart: Int?

    /// `nil` for bytes that are not such a file.
    init?(_ bytes: [UInt8]) {
        let first = bytes.count >= 8 ? String(decoding: bytes[4..<8], as: UTF8.self) : ""
        let known = ["ftyp", "styp", "moov", "moof", "sidx", "mdat", "free", "skip", "wide", "uuid", "pnot", "udta"]
        guard known.contains(first) else { return nil }
        (boxes, rest) = BoxNode.parse(bytes, 0..<bytes.count)
        mediaStart = BoxTree.mediaStart(boxes)
    }

    private static func mediaStart(_ boxes: [BoxNode]) -> Int? {
        var place = 0
        for box in boxes {
            if box.type.has("mdat", at: 0) { return place }
            place += box.byteCount
        }
        return nil
    }

    /// The file.
    ///
    /// - Parameter isRepaired: whether sizes are those of the contents, and chunks lie at the media's new places.
    func bytes(isRepaired: Bool) -> [UInt8] {
        var boxes = boxes
        if isRepaired, let old = mediaStart, let new = BoxTree.mediaStart(boxes), new != old {
            for index in boxes.indices { boxes[index].moveChunks(by: new - old, from: old) }
        }
        var out: [UInt8] = []
        for box in boxes { box.write(to: &out, keepsSizes: !isRepaired) }
        return out + rest
    }

    /// Ways to all boxes, in the order of the file; each is a list of places among siblings.
    var paths: [[Int]] {
        var found: [[Int]] = []
        func visit(_ nodes: [BoxNode], _ path: [Int]) {
            for (index, node) in nodes.enumerated() where !node.type.isEmpty {
                found.append(path + [index])
                visit(node.children, path + [index])
            }
        }
        visit(boxes, [])
        return found
    }

    subscript(path: [Int]) -> BoxNode {
        get { BoxTree.get(boxes, path[...]) }
        set { BoxTree.change(&boxes, path[...]) { $0[$1] = newValue } }
    }

    private static func get(_ nodes: [BoxNode], _ path: ArraySlice<Int>) -> BoxNode {
        let node = nodes[path[path.startIndex]]
        return path.count == 1 ? node : get(node.children, path.dropFirst())
    }

    /// Changes the list of siblings that a path leads to.
    static func change(_ nodes: inout [BoxNode], _ path: ArraySlice<Int>, _ body: (inout [BoxNode], Int) -> Void) {
        let index = path[path.startIndex]
        if path.count == 1 {
            body(&nodes, index)
        } else {
            change(&nodes[index].children, path.dropFirst(), body)
        }
    }
}

extension BoxNode {
    /// Chunks that lay behind `start` are `distance` further on.
    fileprivate mutating func moveChunks(by distance: Int, from start: Int) {
        let width = type.has("stco", at: 0) ? 4 : type.has("co64", at: 0) ? 8 : 0
        if width > 0 {
            for place in stride(from: 8, through: content.count - width, by: width) {
                let offset = content.number(at: place, width: width)
                guard offset >= UInt64(start) else { continue }
                content.put(offset &+ UInt64(bitPattern: Int64(distance)), at: place, width: width)
            }
        }
        for index in children.indices { children[index].moveChunks(by: distance, from: start) }
    }
}
