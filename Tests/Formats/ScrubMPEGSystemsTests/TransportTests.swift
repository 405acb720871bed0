@testable import ScrubMPEGSystems
import Testing

/// A packet of a transport stream.
func packet(stream: Int, starts: Bool = false, isRandomAccess: Bool = false, _ payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0x47, UInt8(stream >> 8) | (starts ? 0x40 : 0), UInt8(stream & 0xFF)]
    let room = 184 - payload.count
    if room > 0 {
        // The adaptation field fills the rest.
        bytes += [0x30, UInt8(room - 1)]
        if room > 1 { bytes += [isRandomAccess ? 0x40 : 0] + [UInt8](repeating: 0xFF, count: room - 2) }
    } else {
        bytes += [0x10]
    }
    return bytes + payload
}

/// The header of a PES packet with time stamps.
func header(stream: UInt8 = 0xE0, pts: Int64, dts: Int64? = nil) -> [UInt8] {
    func stamp(_ time: Int64, _ mark: UInt8) -> [UInt8] {
        [
            mark << 4 | UInt8(time >> 30 & 7) << 1 | 1, UInt8(time >> 22 & 0xFF), UInt8(time >> 15 & 0x7F) << 1 | 1,
            UInt8(time >> 7 & 0xFF), UInt8(time & 0x7F) << 1 | 1,
        ]
    }
    let stamps = dts.map { stamp(pts, 3) + stamp($0, 1) } ?? stamp(pts, 2)
    return [0, 0, 1, stream, 0, 0, 0x80, dts == nil ? 0x80 : 0xC0, UInt8(stamps.count)] + stamps
}

// Spans cannot be in the expressions of a macro.

private func layout(_ bytes: [UInt8]) -> TransportLayout? { TransportLayout(head: bytes.span) }

private func units(_ layout: TransportLayout, _ bytes: [UInt8], limit: Int = .max) -> [TimedUnit] {
    layout.units(of: 0x100, in: bytes.span, limit: limit)
}

private func packUnits(_ bytes: [UInt8]) -> [TimedUnit] { ProgramPacks.units(of: 0xE0, in: bytes.span) }

private func tables(_ bytes: [UInt8], _ layout: TransportLayout) -> TransportTables? {
    TransportTables(head: bytes.span, layout)
}

private func times(_ bytes: [UInt8]) -> PESHeader? { PESHeader(bytes.span, at: 0) }

private func isPack(_ bytes: [UInt8], at place: Int) -> Bool { ProgramPacks.isPack(bytes.span, at: place) }

@Suite struct TransportTests {
    private let association: [UInt8] = [0, 0x00, 0xB0, 13, 0, 1, 0xC1, 0, 0, 0, 1, 0xF0, 0x00, 0, 0, 0, 0]

    /// Tables, then pictures 3,600 units apart of which every fifth is a random access point, with other packets
    /// between them.
    private func stream(count: Int = 40, first: Int64 = 126_000) -> [UInt8] {
        let map: [UInt8] = [
            0, 0x02, 0xB0, 18, 0, 1, 0xC1, 0, 0, 0xE1, 0x00, 0xF0, 0, 0x1B, 0xE1, 0x00, 0xF0, 0, 0, 0, 0, 0,
        ]
        var bytes = packet(stream: 0, starts: true, association) + packet(stream: 0x1000, starts: true, map)
        for number in 0..<count {
            let time = (first + Int64(number) * 3600) % PESHeader.period
            bytes += packet(
                stream: 0x100, starts: true, isRandomAccess: number % 5 == 0,
                header(pts: time, dts: time) + [UInt8](repeating: 7, count: 100))
            bytes += packet(stream: 0x100, [UInt8](repeating: 9, count: 184))
            bytes += packet(stream: 0x101, starts: true, header(stream: 0xC0, pts: time) + [1, 2, 3])
        }
        return bytes
    }

    @Test(arguments: [(188, 0), (192, 4), (204, 0)]) func layoutsAreRecognized(spacing: Int, prefix: Int) throws {
        let plain = stream()
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: plain.count, by: 188) {
            bytes +=
                [UInt8](repeating: 0, count: prefix) + plain[start..<start + 188]
                + [UInt8](repeating: 0, count: spacing - 188 - prefix)
        }
        let found = try #require(layout(bytes))
        #expect(found.spacing == spacing && found.prefix == prefix)
        let all = units(found, bytes)
        #expect(all.map(\.presentationTime) == (0..<40).map { 126_000 + $0 * 3600 })
        #expect(all.map(\.position) == (0..<40).map { (2 + $0 * 3) * spacing })
        #expect(all.map(\.isRandomAccess) == (0..<40).map { $0 % 5 == 0 })
        // From the middle of a packet, the next whole one is found.
        let rest = Array(bytes[(spacing + 77)...])
        #expect(units(found, rest).count == 40)
        #expect(units(found, rest, limit: 3).count == 3)
    }

    @Test func packetsAfterJunkAreFound() throws {
        let plain = stream()
        let found = try #require(layout(plain))
        let bytes = Array(plain[..<(188 * 20)]) + [UInt8](repeating: 0, count: 61) + plain[(188 * 20)...]
        #expect(units(found, bytes).count == 40)
    }

    @Test func tablesAreKept() throws {
        let plain = stream()
        let found = try #require(layout(plain))
        let kept = try #require(tables(plain, found))
        #expect(kept.packets == Array(plain[..<376]))
        let without = Array(plain[376...])
        #expect(tables(without, found) == nil)
    }

    @Test func otherFilesAreNotTransportStreams() {
        for bytes in [[], [0x47], [UInt8](repeating: 0, count: 4096), Array("RIFF".utf8)] as [[UInt8]] {
            #expect(layout(bytes) == nil || bytes == [0x47])
        }
    }

    @Test(arguments: [0, 1, 126_000, 1 << 32, (1 << 33) - 1] as [Int64]) func timeStampsAreRead(_ time: Int64) {
        let (one, both) = (header(pts: time), header(pts: time, dts: 5))
        #expect(times(one)?.presentationTime == time)
        #expect(times(one)?.decodeTime == time)
        #expect(times(both)?.presentationTime == time)
        #expect(times(both)?.decodeTime == 5)
        for length in 0..<14 { #expect(times(Array(both[..<length])) == nil) }
    }

    @Test func timeStampsThatWrapAroundGoOn() {
        let period = PESHeader.period
        for first in [0, 126_000, period - 90_000, period - 1] as [Int64] {
            let clock = WrappingClock(first: first)
            for distance in [0, 1, 90_000, 7200 * 90_000, period - 61 * 90_000] as [Int64] {
                #expect(clock.time(of: (first + distance) % period) - clock.time(of: first) == distance)
            }
            // A picture may be shown shortly before the first one.
            #expect(clock.time(of: (first + period - 3600) % period) - clock.time(of: first) == -3600)
        }
        #expect(WrappingClock(first: .min).time(of: .max) == .max || WrappingClock(first: .min).time(of: 5) >= .min)
    }

    @Test func packsOfProgramStreamsAreFound() {
        let pack: [UInt8] = [0, 0, 1, 0xBA, 0x44, 0, 4, 0, 4, 1, 0, 0, 3, 0xF8]
        var (bytes, places): ([UInt8], [Int]) = ([], [])
        for number in 0..<10 {
            places.append(bytes.count)
            bytes += pack + header(pts: Int64(number) * 3600) + [UInt8](repeating: 5, count: 200)
            // A pack with audio alone.
            bytes += pack + header(stream: 0xC0, pts: 7) + [UInt8](repeating: 5, count: 50)
        }
        let all = packUnits(bytes)
        #expect(all.map(\.position) == places)
        #expect(all.map(\.presentationTime) == (0..<10).map { $0 * 3600 })
        #expect(isPack(bytes, at: 0))
        #expect(!isPack(bytes, at: 1))
        let later = packUnits(Array(bytes[10...])).map(\.position)
        #expect(later == places.dropFirst().map { $0 - 10 })
    }

    @Test func damagedBytesNeverTrap() {
        var random = SystemRandomNumberGenerator()
        let plain = stream(count: 8)
        for _ in 0..<200 {
            var bytes = plain
            for _ in 0..<20 { bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255) }
            bytes.removeLast(Int.random(in: 0..<400, using: &random))
            guard let found = layout(bytes) else { continue }
            _ = tables(bytes, found)
            for unit in units(found, bytes) { #expect(bytes.indices.contains(unit.position)) }
            for unit in packUnits(bytes) { #expect(bytes.indices.contains(unit.position)) }
        }
    }
}
