/// The mutations of a Matroska or WebM file.
enum ElementMutation {
    /// An element as it lies in the file.
    private struct Element {
        var id: UInt32
        var start: Int
        var sizeStart: Int
        var body: Range<Int>
        /// The masters around it, outermost first: places of their size fields.
        var parents: [Int]
        var whole: Range<Int> { start..<body.upperBound }
    }

    private static let masters: Set<UInt32> = [
        0x1853_8067, 0x1F43_B675, 0x1654_AE6B, 0xAE, 0xE0, 0xA0, 0x1C53_BB6B, 0xBB, 0xB7, 0x1549_A966, 0x114D_9B74,
        0x4DBB, 0x1A45_DFA3, 0x6D80, 0x6240, 0x5034, 0x1254_C367, 0x7373, 0x1043_A770, 0x1941_A469, 0x55B0, 0x55D0,
    ]
    private static let ids: [UInt32] = [
        0x1853_8067, 0x1F43_B675, 0x1654_AE6B, 0xAE, 0xE0, 0xA0, 0xA1, 0xA3, 0xE7, 0x9B, 0xFB, 0xD7, 0x73C5, 0x83, 0x86,
        0x63A2, 0xB0, 0xBA, 0x23E383, 0x2AD7B1, 0x4489, 0xEC, 0xBF, 0x6DE7, 0x6D80, 0x53AB, 0x53AC, 0x75A2, 0xA5,
        0x54B0,
    ]

    static func isElements(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) }

    private static func size(in bytes: [UInt8], at place: Int) -> (value: UInt64, width: Int)? {
        guard place < bytes.count, bytes[place] != 0 else { return nil }
        let width = bytes[place].leadingZeroBitCount + 1
        guard place + width <= bytes.count else { return nil }
        let number = bytes.number(at: place, width: width)
        return (number & ((1 << UInt64(7 * width)) - 1), width)
    }

    private static func elements(of bytes: [UInt8]) -> [Element] {
        var found: [Element] = []
        func visit(_ range: Range<Int>, _ parents: [Int]) {
            var place = range.lowerBound
            while place < range.upperBound, found.count < 100_000 {
                let idWidth = bytes[place].leadingZeroBitCount + 1
                guard idWidth <= 4, place + idWidth < range.upperBound,
                    let (size, width) = size(in: bytes, at: place + idWidth)
                else { return }
                let id = UInt32(bytes.number(at: place, width: idWidth))
                let body = place + idWidth + width
                guard body <= range.upperBound else { return }
                let isUnknown = size == (1 << UInt64(7 * width)) - 1
                let end =
                    body + Int(isUnknown ? UInt64(range.upperBound - body) : min(size, UInt64(range.upperBound - body)))
                found.append(
                    Element(id: id, start: place, sizeStart: place + idWidth, body: body..<end, parents: parents))
                if masters.contains(id), parents.count < 12 { visit(body..<end, parents + [place + idWidth]) }
                place = end
            }
        }
        visit(0..<bytes.count, [])
        return found
    }

    /// Returns the places at which elements of some kinds begin.
    static func places(of ids: Set<UInt32>, in bytes: [UInt8]) -> [Int] {
        elements(of: bytes).filter { ids.contains($0.id) }.map(\.start)
    }

    /// Writes a size into `width` bytes, or as many as it takes.
    private static func coded(_ size: UInt64, width: Int) -> [UInt8] {
        var width = width
        while width < 8, size >= (1 << UInt64(7 * width)) - 1 { width += 1 }
        return [UInt8](size & ((1 << UInt64(7 * width)) - 1) | 1 << UInt64(7 * width), width: width)
    }

    static func apply(to bytes: [UInt8], _ draw: inout Draw) -> (bytes: [UInt8], what: String)? {
        let all = elements(of: bytes)
        // Elements of the head and of clusters are equally likely, whatever their numbers are.
        let head = all.filter { !$0.parents.isEmpty && $0.id != 0xA3 && $0.id != 0xA1 && $0.id != 0xA0 }
        let blocks = all.filter { $0.id == 0xA3 || $0.id == 0xA1 }
        guard let element = draw.one(of: draw.isOne(in: 3) || head.isEmpty ? all : head) else { return nil }
        let name = String(element.id, radix: 16)
        var out = bytes
        var grown = 0
        var parents = element.parents
        var what: String
        func replace(_ range: Range<Int>, with part: [UInt8]) {
            out.replaceSubrange(range, with: part)
            grown += part.count - range.count
        }
        switch draw.below(20) {
        case 0, 1:
            what = "\(name) out"
            replace(element.whole, with: [])
        case 2:
            what = "\(name) twice"
            replace(element.start..<element.start, with: Array(bytes[element.whole]))
        case 3:
            guard let other = draw.one(of: all), other.start >= element.body.upperBound else { return nil }
            what = "\(name) and \(String(other.id, radix: 16)) swapped"
            let parts = (Array(bytes[element.whole]), Array(bytes[other.whole]))
            out.replaceSubrange(other.whole, with: parts.0)
            out.replaceSubrange(element.whole, with: parts.1)
            parents = []
        case 4:
            let others = all.filter {
                masters.contains($0.id) && !element.whole.overlaps($0.start..<$0.body.lowerBound)
            }
            guard let other = draw.one(of: others) else { return nil }
            what = "\(name) into \(String(other.id, radix: 16))"
            replace(other.body.lowerBound..<other.body.lowerBound, with: Array(bytes[element.whole]))
            parents = other.parents + [other.sizeStart]
        case 5:
            what = "\(name) in itself"
            var part = Array(bytes[element.whole])
            let id = Array(bytes[element.start..<element.sizeStart])
            for _ in 0..<[1, 10, 200][draw.below(3)] { part = id + coded(UInt64(part.count), width: 1) + part }
            replace(element.whole, with: part)
        case 6, 7:
            let id = ids[draw.below(ids.count)]
            what = "\(name) called \(String(id, radix: 16))"
            replace(
                element.start..<element.sizeStart,
                with: [UInt8](UInt64(id), width: id > 0xFF_FFFF ? 4 : id > 0xFFFF ? 3 : id > 0xFF ? 2 : 1))
        case 8:
            let width = element.body.lowerBound - element.sizeStart
            let wider = min(8, width + 1 + draw.below(7))
            what = "size of \(name) in \(wider) bytes"
            replace(element.sizeStart..<element.body.lowerBound, with: coded(UInt64(element.body.count), width: wider))
        case 9:
            let width = element.body.lowerBound - element.sizeStart
            what = "\(name) of unknown size"
            replace(
                element.sizeStart..<element.body.lowerBound,
                with: [UInt8]((1 << UInt64(7 * width + 1)) - 1, width: width))
        case 10, 11:
            let size = draw.edge(near: UInt64(element.body.count))
            what = "\(name) of size \(size)"
            replace(element.sizeStart..<element.body.lowerBound, with: coded(size & ((1 << 56) - 1), width: 1))
        case 12, 13:
            let body = element.body
            let width = min(8, body.count)
            out.put(draw.edge(near: out.number(at: body.lowerBound, width: width)), at: body.lowerBound, width: width)
            what = "number in \(name)"
        case 14:
            what = "\(name) empty"
            replace(element.sizeStart..<element.body.upperBound, with: [0x80])
        case 15...17:
            guard let block = draw.one(of: blocks), block.body.count > 4 else { return nil }
            let body = block.body.lowerBound
            parents = []
            switch draw.below(5) {
            case 0:
                out[body + 3] ^= [0x02, 0x04, 0x06][draw.below(3)]
                what = "lacing of the block at \(block.start)"
            case 1:
                out[body + 3] ^= [0x80, 0x08, 0x01][draw.below(3)]
                what = "flags of the block at \(block.start)"
            case 2:
                out.put(draw.edge(near: out.number(at: body + 1, width: 2)), at: body + 1, width: 2)
                what = "time of the block at \(block.start)"
            case 3:
                out[body] = draw.isOne(in: 2) ? 0x82 : draw.byte()
                what = "track of the block at \(block.start)"
            default:
                what = ByteMutation.flipHead(of: body + 4..<block.body.upperBound, in: &out, &draw)
            }
        case 18:
            let privates = all.filter { $0.id == 0x63A2 && !$0.body.isEmpty }
            guard let element = draw.one(of: privates) else { return nil }
            what = "configuration: " + ByteMutation.flipHead(of: element.body, in: &out, &draw)
            parents = []
        default:
            let end = [element.start, element.sizeStart, element.body.lowerBound, element.body.upperBound][
                draw.below(4)]
            return (Array(bytes.prefix(end)), "cut at \(end)")
        }
        guard grown != 0, draw.below(5) > 0 else { return (out, what) }
        // Sizes of the masters around it, where their fields have room for the new one.
        for place in parents {
            guard let (size, width) = size(in: bytes, at: place) else { continue }
            let isUnknown = size == (1 << UInt64(7 * width)) - 1
            let new = UInt64(max(0, Int(clamping: size) + grown))
            let field = coded(new, width: width)
            if !isUnknown, field.count == width { out.replaceSubrange(place..<place + width, with: field) }
        }
        return (out, what)
    }
}
