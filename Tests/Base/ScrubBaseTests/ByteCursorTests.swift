import ScrubBase
import ScrubTestSupport
import Testing

@Suite struct ByteCursorTests {
    enum Read: CaseIterable, Sendable {
        case one, two, four, eight, skip, span

        var size: Int {
            switch self {
            case .one: 1
            case .two: 2
            case .four: 4
            case .eight: 8
            case .skip, .span: 5
            }
        }
    }

    /// Does the reads one after another; a skip gives 0 and a span the sum of its bytes.
    private func values(_ reads: [Read], of bytes: [UInt8]) throws(ScrubError) -> [UInt64] {
        var cursor = ByteCursor(bytes.span)
        var values: [UInt64] = []
        for read in reads {
            switch read {
            case .one: values.append(UInt64(try cursor.readUInt8()))
            case .two: values.append(UInt64(try cursor.readUInt16()))
            case .four: values.append(UInt64(try cursor.readUInt32()))
            case .eight: values.append(try cursor.readUInt64())
            case .skip:
                try cursor.skip(read.size)
                values.append(0)
            case .span:
                let span = try cursor.readSpan(read.size)
                var sum: UInt64 = 0
                for i in span.indices { sum += UInt64(span[i]) }
                values.append(sum)
            }
        }
        let (position, remaining) = (cursor.position, cursor.remaining)
        #expect(position == reads.reduce(0) { $0 + $1.size })
        #expect(position + remaining == bytes.count)
        return values
    }

    private func bigEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    @Test(arguments: 0..<10)
    func readsBigEndianAndNoTruncationPasses(seed: Int) throws {
        var random = SplitMix(UInt64(seed))
        let reads = (0..<12).map { _ in Read.allCases.randomElement(using: &random) ?? .one }
        let bytes = (0..<reads.reduce(0) { $0 + $1.size }).map { _ in UInt8.random(in: 0...255, using: &random) }
        var place = 0
        let expected = reads.map { read in
            let part = bytes[place..<place + read.size]
            place += read.size
            return switch read {
            case .skip: UInt64(0)
            case .span: part.reduce(UInt64(0)) { $0 + UInt64($1) }
            default: bigEndian(part)
            }
        }
        #expect(try values(reads, of: bytes) == expected)
        for count in bytes.indices {
            let error = #expect(throws: ScrubError.self) { try values(reads, of: Array(bytes[..<count])) }
            #expect(error?.code == .badData)
        }
    }

    @Test(arguments: [Int.min, -1, 4, Int.max])
    func skipsOnlyWhatIsThere(count: Int) {
        let bytes: [UInt8] = [1, 2, 3]
        var cursor = ByteCursor(bytes.span)
        var code: ScrubError.Code?
        do { try cursor.skip(count) } catch { code = error.code }
        #expect(code == .badData)
        let position = cursor.position
        #expect(position == 0)
    }

    @Test(arguments: [Int.min, -1, 4, Int.max])
    func spansHoldOnlyWhatIsThere(count: Int) {
        let bytes: [UInt8] = [1, 2, 3]
        var cursor = ByteCursor(bytes.span)
        var code: ScrubError.Code?
        do { _ = try cursor.readSpan(count) } catch { code = error.code }
        #expect(code == .badData)
    }

    @Test func memoryIsReadInsideItsBounds() throws {
        let source = MemorySource([1, 2, 3])
        #expect(try source.read(at: 0, count: 3) == [1, 2, 3])
        #expect(try source.read(at: 3, count: 0) == [])
        for (offset, count) in [(0, 4), (-1, 1), (4, 0), (3, 1), (Int64.max, 1), (1, Int.max), (0, -1), (.min, 0)] {
            let error = #expect(throws: ScrubError.self) { try source.read(at: offset, count: count) }
            #expect(error?.code == .badData)
        }
    }
}
