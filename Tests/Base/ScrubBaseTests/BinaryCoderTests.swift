import ScrubFileIO
import ScrubBase
import ScrubTestSupport
import Testing

@Suite struct BinaryCoderTests {
    /// One value that is written and read back.
    enum Item: Equatable, Sendable {
        case number(UInt64)
        case text(String)
        case small([UInt8])
        case middle([Int32])
        case large([Int64])

        static func random(_ random: inout SplitMix) -> Item {
            let count = Int.random(in: 0...9, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: return .number(random.next())
            case 1: return .text(String((0..<count).map { _ in "aß字🎬\0".randomElement(using: &random) ?? "a" }))
            case 2: return .small((0..<count).map { _ in .random(in: 0...255, using: &random) })
            case 3: return .middle((0..<count).map { _ in Int32(truncatingIfNeeded: random.next()) })
            default: return .large((0..<count).map { _ in random.ofAnySize() })
            }
        }

        func write(to writer: inout BinaryWriter) {
            switch self {
            case .number(let value): writer.write(value)
            case .text(let value): writer.write(value)
            case .small(let value): writer.write(column: value)
            case .middle(let value): writer.write(column: value)
            case .large(let value): writer.write(column: value)
            }
        }
    }

    /// Reads values of the same kinds as `items`.
    private func readBack(_ items: [Item], _ bytes: [UInt8]) throws(ScrubError) -> [Item] {
        var reader = BinaryReader(bytes.span)
        var found: [Item] = []
        for item in items {
            switch item {
            case .number: found.append(.number(try reader.read()))
            case .text: found.append(.text(try reader.readString()))
            case .small: found.append(.small(try reader.readColumn()))
            case .middle: found.append(.middle(try reader.readColumn()))
            case .large: found.append(.large(try reader.readColumn()))
            }
        }
        return found
    }

    @Test(arguments: 0..<10)
    func readsBackWhatWasWritten(seed: Int) throws {
        var random = SplitMix(UInt64(seed))
        // A number at the end, so that there is no padding whose loss would not matter.
        let items = (0..<20).map { _ in Item.random(&random) } + [.number(7)]
        var writer = BinaryWriter()
        for item in items { item.write(to: &writer) }
        #expect(writer.bytes.count % 8 == 0)
        #expect(try readBack(items, writer.bytes) == items)
        for count in writer.bytes.indices {
            let error = #expect(throws: ScrubError.self) { try readBack(items, Array(writer.bytes[..<count])) }
            #expect(error?.code == .badData)
        }
    }

    @Test(arguments: [UInt64.max, 1 << 63, 1 << 62, 1 << 61, 1 << 60, UInt64(Int.max), 1 << 32, 9])
    func neverBelievesALength(claim: UInt64) {
        var writer = BinaryWriter()
        writer.write(claim)
        writer.write(UInt64(0))
        for item in [Item.text(""), .small([]), .middle([]), .large([])] {
            let error = #expect(throws: ScrubError.self) { try readBack([item], writer.bytes) }
            #expect(error?.code == .badData)
        }
    }

    @Test func numbersOfEveryWidthReadBack() throws {
        var writer = BinaryWriter()
        writer.write(UInt8(0xab))
        writer.write(Int16(-2))
        writer.write(UInt32.max)
        writer.write(Int64.min)
        var reader = BinaryReader(writer.bytes.span)
        let (a, b) = (try reader.read(UInt8.self), try reader.read(Int16.self))
        let (c, d, rest) = (try reader.read(UInt32.self), try reader.read(Int64.self), reader.remaining)
        #expect((a, b, c, d) == (0xab, -2, .max, .min))
        #expect(rest == 0)
    }

    /// Both sides pad a column up to a multiple of eight bytes of the whole, wherever it began.
    @Test func columnsReadBackAfterANarrowNumber() throws {
        var writer = BinaryWriter()
        writer.write(UInt32(1))
        writer.write(column: [UInt8(9)])
        writer.write(UInt64(0x0102_0304_0506_0708))
        var reader = BinaryReader(writer.bytes.span)
        _ = try reader.read(UInt32.self)
        let column = try reader.readColumn(of: UInt8.self)
        let number = try reader.read(UInt64.self)
        #expect(column == [9])
        #expect(number == 0x0102_0304_0506_0708)
    }
}
