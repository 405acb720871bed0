/// The mutations of a file of boxes.
enum BoxMutation {
    private static let types = [
        "moov", "trak", "mdia", "minf", "stbl", "stsd", "stts", "ctts", "stsc", "stsz", "stz2", "stco", "co64", "stss",
        "stps", "sdtp", "sgpd", "sbgp", "elst", "edts", "mvhd", "tkhd", "mdhd", "hdlr", "mvex", "trex", "moof", "traf",
        "tfhd", "tfdt", "trun", "mfra", "tfra", "sidx", "mdat", "free", "skip", "uuid", "meta", "udta", "avc1", "avc3",
        "hvc1", "hev1", "av01", "vp08", "vp09", "mp4v", "avcC", "hvcC", "av1C", "vpcC", "esds", "clap", "pasp", "colr",
        "encv", "sinf", "cmov", "senc", "saiz", "saio", "tmcd", "wide", "cslg", "mehd", "emsg", "styp",
    ]

    /// - Returns: the changed file and a description of the change; `nil` for bytes that are not a file of boxes.
    static func apply(to bytes: [UInt8], _ draw: inout Draw) -> (bytes: [UInt8], what: String)? {
        guard var tree = BoxTree(bytes) else { return nil }
        let paths = tree.paths
        // The movie's boxes are small and many of them say something; the media's one is hit by other ways.
        let tables = paths.filter { tree[$0].isLeaf && !tree[$0].type.has("mdat", at: 0) }
        guard let path = draw.one(of: paths), let table = draw.one(of: tables) else { return nil }
        let name = { (path: [Int]) in String(decoding: tree[path].type, as: UTF8.self) }
        let isRepaired = draw.below(5) > 0
        var what: String
        switch draw.below(20) {
        case 0, 1:
            what = "\(name(path)) out"
            BoxTree.change(&tree.boxes, path[...]) { $0.remove(at: $1) }
        case 2:
            what = "\(name(path)) twice"
            BoxTree.change(&tree.boxes, path[...]) { $0.insert($0[$1], at: $1) }
        case 3:
            guard let other = draw.one(of: paths), !other.starts(with: path), !path.starts(with: other) else {
                return nil
            }
            what = "\(name(path)) and \(name(other)) swapped"
            (tree[path], tree[other]) = (tree[other], tree[path])
        case 4:
            guard let other = draw.one(of: paths.filter { !tree[$0].isLeaf && !$0.starts(with: path) }) else {
                return nil
            }
            what = "\(name(path)) into \(name(other))"
            tree[other].children.append(tree[path])
        case 5:
            let depth = [1, 2, 9, 10, 11, 12, 200][draw.below(7)]
            let node = tree[path]
            what = "\(name(path)) in \(depth) of itself"
            let isFlat = node.isLeaf
            for _ in 0..<depth {
                var outer = BoxNode(type: node.type, statedSize: node.statedSize, isLong: false, content: [])
                outer.content = isFlat ? [] : node.content
                outer.children = [tree[path]]
                tree[path] = outer
            }
        case 6, 7:
            let type = draw.isOne(in: 3) ? tree[path].type : Array(types[draw.below(types.count)].utf8)
            what = "\(name(path)) called \(String(decoding: type, as: UTF8.self))"
            tree[path].type = type
            if draw.isOne(in: 3) { tree[path].type[draw.below(4)] ^= 1 << UInt8(draw.below(7)) }
        case 8, 9:
            let sizes: [UInt64] = [
                0, 1, 7, 8, 9, 15, 16, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x7FFF_FFFF_FFFF_FFFF, .max,
                UInt64(tree[path].byteCount) + 1, UInt64(max(9, tree[path].byteCount) - 1),
            ]
            let size = sizes[draw.below(sizes.count)]
            what = "\(name(path)) of size \(size)"
            tree[path].forcedSize = size
            if draw.isOne(in: 4) { tree[path].isLong.toggle() }
        case 10, 11:
            what = "count of \(name(table))"
            var content = tree[table].content
            let isSize = content.count >= 12 && ["stsz", "stz2"].contains(name(table))
            let place = isSize ? 8 : 4
            content.put(draw.edge(near: content.number(at: place, width: 4)), at: place, width: 4)
            tree[table].content = content
        case 12...14:
            var content = tree[table].content
            let width = [1, 2, 4, 4, 4, 8][draw.below(6)]
            let place = draw.below(max(1, content.count / width)) * width
            content.put(draw.edge(near: content.number(at: place, width: width)), at: place, width: width)
            what = "\(name(table)): number at \(place)"
            tree[table].content = content
        case 15:
            // Times, places and sizes that are possible, and wrong: entries of one table change places.
            var content = tree[table].content
            let entries = max(0, (content.count - 8) / 4)
            let (a, b) = (8 + 4 * draw.below(entries), 8 + 4 * draw.below(entries))
            let numbers = (content.number(at: a, width: 4), content.number(at: b, width: 4))
            content.put(numbers.1, at: a, width: 4)
            content.put(numbers.0, at: b, width: 4)
            what = "\(name(table)): \(a) and \(b) swapped"
            tree[table].content = content
        case 16, 17:
            var content = tree[table].content
            what = "\(name(table)): " + ByteMutation.apply(to: &content, in: 0..<content.count, &draw)
            tree[table].content = content
        case 18:
            // Configuration records hold the parameter sets.
            let records = ["avcC", "hvcC", "av1C", "vpcC", "esds", "glbl", "dvcC"]
            guard let record = draw.one(of: tables.filter { records.contains(name($0)) }) else { return nil }
            var content = tree[record].content
            what = "\(name(record)): " + ByteMutation.flipHead(of: 0..<content.count, in: &content, &draw)
            if draw.isOne(in: 2) { content.append(contentsOf: content) }
            tree[record].content = content
        default:
            var edges = [0]
            var place = 0
            for box in tree.boxes {
                for child in box.children { edges.append(place + 8 + child.byteCount) }
                place += box.byteCount
                edges.append(place)
            }
            let end = edges[draw.below(edges.count)] + draw.below(3) - 1
            return (Array(bytes.prefix(max(0, end))), "cut at \(end)")
        }
        what += isRepaired ? "" : " (sizes kept)"
        return (tree.bytes(isRepaired: isRepaired), what)
    }
}
