/// Makes damaged files of sound ones: the same ones from the same name and number, everywhere.
public struct Mutator: Sendable {
    /// The content of a seed.
    public enum Form: String, Sendable { case boxes, elements, stream, text, table, bytes }

    private let seed: [UInt8]
    /// The form that the seed was taken for.
    public let form: Form

    /// Looks at a seed.
    public init(_ seed: [UInt8]) {
        self.seed = seed
        form = Mutator.form(of: seed)
    }

    /// From this number on files have losses too: those before it stay as they were, for findings are kept by their
    /// numbers.
    static let firstWithLosses: UInt64 = 1000

    /// From this number on three in four changes are of what a decoder keeps (``StateMutation``).
    static let firstWithState: UInt64 = 1_000_000

    private static func form(of bytes: [UInt8]) -> Form {
        if BoxTree(bytes) != nil { return .boxes }
        if ElementMutation.isElements(bytes) { return .elements }
        if bytes.starts(with: [0x89, 0x42, 0x49, 0x46]) || bytes.has("SCRUBIDX", at: 0) { return .table }
        if StreamMutation.pieces(of: bytes) != nil { return .stream }
        let head = bytes.prefix(256)
        let isText = !head.isEmpty && head.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (9...13).contains($0) }
        return isText ? .text : .bytes
    }

    /// One damaged file: one change, now and then several.
    ///
    /// - Parameters:
    ///   - name: the seed's name.
    ///   - number: which of its damaged files.
    /// - Returns: the file, and a description of the change, for people.
    public func mutant(name: String, number: UInt64) -> (bytes: [UInt8], what: String) {
        var draw = Draw(name: name, number: number)
        var bytes = seed
        var steps: [String] = []
        let count = [1, 1, 1, 1, 1, 1, 2, 2, 3, 1 + draw.below(8)][draw.below(10)]
        while steps.count < count || bytes == seed && steps.count < 20 {
            if number >= Mutator.firstWithState {
                let what =
                    draw.isOne(in: 4)
                    ? LossMutation.apply(to: &bytes, form: .stream, &draw) : StateMutation.apply(to: &bytes, &draw)
                steps.append(what ?? ByteMutation.apply(to: &bytes, in: 0..<bytes.count, &draw))
                continue
            }
            if number >= Mutator.firstWithLosses, draw.isOne(in: 2) {
                if let what = LossMutation.apply(to: &bytes, form: form, &draw) { steps.append(what) }
            }
            if steps.count < count || bytes == seed { steps.append(step(&bytes, &draw)) }
        }
        return (bytes, steps.joined(separator: "; "))
    }

    /// One change to bytes that a fuzzer has: the same ways, without a seed file.
    public static func changed(_ bytes: [UInt8], number: UInt64) -> [UInt8] {
        let mutator = Mutator(bytes)
        var draw = Draw(name: "", number: number)
        var copy = bytes
        _ = mutator.step(&copy, &draw)
        return copy
    }

    private func step(_ bytes: inout [UInt8], _ draw: inout Draw) -> String {
        // One in five changes knows nothing of the format.
        if !draw.isOne(in: 5) {
            switch form {
            case .boxes:
                if draw.isOne(in: 3), let what = UnitMutation.apply(to: &bytes, &draw) { return what }
                if let (changed, what) = BoxMutation.apply(to: bytes, &draw) {
                    bytes = changed
                    return what
                }
            case .elements:
                if draw.isOne(in: 4), let what = UnitMutation.apply(to: &bytes, &draw) { return what }
                if let (changed, what) = ElementMutation.apply(to: bytes, &draw) {
                    bytes = changed
                    return what
                }
            case .stream: if let what = StreamMutation.apply(to: &bytes, &draw) { return what }
            case .text: return TextMutation.apply(to: &bytes, &draw)
            case .table:
                // Most facts are in front.
                let room = draw.isOne(in: 2) ? min(bytes.count, 256) : bytes.count
                let width = [4, 8][draw.below(2)]
                let place = draw.below(max(1, room / width)) * width
                bytes.putLittle(draw.edge(near: bytes.littleNumber(at: place, width: width)), at: place, width: width)
                return "number at \(place)"
            case .bytes: break
            }
        }
        return ByteMutation.apply(to: &bytes, in: 0..<bytes.count, &draw)
    }
}
