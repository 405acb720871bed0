import Foundation
import ScrubISOMedia
import ScrubBase
import Testing

/// Movies of key pictures, read back by this module's own parser.
struct KeyframeMovieTests {
    static let avcC: [UInt8] = [1, 0x64, 0x00, 0x1F, 0xFF, 0xE1, 0, 4, 0x67, 1, 2, 3, 1, 0, 2, 0x68, 4]

    func made(_ geometry: KeyframeMovie.Geometry, timescale: UInt32 = 30_000) throws -> KeyframeMovie {
        try KeyframeMovie(
            coding: KeyframeCoding(format: "avc1", configuration: Self.avcC), geometry: geometry, timescale: timescale,
            duration: 90_000)
    }

    @Test func readsBack() throws {
        let turned: [Int32] = [0, 0x1_0000, 0, -0x1_0000, 0, 0, 0x10_0000, 0, 0x4000_0000]
        let movie = try made(
            .init(width: 720, height: 576, sampleAspectRatio: Rational(16, 15), displayMatrix: turned))
        let sizes = [5, 70_000, 1, 300]
        // The last one begins beyond 32 bits of units.
        let times: [UInt64] = [0, 1001, 61_061, 1 << 40]
        var bytes = movie.header
        var places: [Int64] = []
        for (number, size) in sizes.enumerated() {
            let next = number + 1 < times.count ? times[number + 1] : times[number] + 7
            let head = try movie.fragmentHead(
                number: number, time: times[number], duration: UInt32(clamping: next - times[number]), byteCount: size)
            #expect(head.count == KeyframeMovie.fragmentHeadSize)
            bytes += head
            places.append(Int64(bytes.count))
            bytes += [UInt8](repeating: UInt8(number), count: size)
        }
        let read = try Movie(reading: MemorySource(bytes))
        #expect(read.warnings.isEmpty && read.majorBrand == "iso6" && read.isFragmented)
        #expect(read.fragmentCount == 4)
        let track = try #require(read.tracks.first)
        #expect(read.tracks.count == 1 && track.damage == nil && track.isEnabled && track.handler == .vide)
        #expect(track.mediaTimescale == 30_000 && track.matrix == turned)
        #expect(track.width == 768 << 16 && track.height == 576 << 16)
        #expect(track.sampleEntries.map(\.format) == ["avc1"])
        #expect(track.sampleEntries.first?.width == 720 && track.sampleEntries.first?.height == 576)
        let table = try track.sampleTable()
        #expect(table.warnings.isEmpty)
        #expect(Array(table.offsets) == places)
        #expect(table.sizes.map(Int.init) == sizes)
        #expect(table.dts.map(UInt64.init) == times)
        #expect(table.keySamples() == [0, 1, 2, 3])
        for sample in 0..<4 { #expect(table.compositionTime(sample) == Int64(times[sample])) }
    }

    /// A fragment needs nothing but the header: none of it says where in the file it is.
    @Test func fragmentsAreIndependentOfTheirPlace() throws {
        let movie = try made(.init(width: 64, height: 48))
        for number in [0, 1, 4_000_000_000] {
            let head = try movie.fragmentHead(number: number, time: 9000, duration: 3, byteCount: 11)
            let read = try Movie(reading: MemorySource(movie.header + head + [UInt8](repeating: 1, count: 11)))
            let table = try #require(try read.tracks.first?.sampleTable())
            #expect(table.count == 1 && table.dts[0] == 9000 && table.sizes[0] == 11)
            #expect(table.offsets[0] == Int64(movie.header.count + KeyframeMovie.fragmentHeadSize))
        }
    }

    @Test func refusesWhatBoxesHaveNoRoomFor() throws {
        for (width, height) in [(0, 48), (65_536, 48), (64, -1)] {
            #expect(throws: ScrubError.self) { try made(.init(width: width, height: height)) }
        }
        #expect(throws: ScrubError.self) { try made(.init(width: 64, height: 48), timescale: 0) }
        #expect(throws: ScrubError.self) { try made(.init(width: 64, height: 48, displayMatrix: [1, 2])) }
        #expect(throws: ScrubError.self) {
            try made(.init(width: 64, height: 48, sampleAspectRatio: Rational(1 << 33, 3)))
        }
        let movie = try made(.init(width: 64, height: 48))
        for size in [0, -1, Int(UInt32.max) - 7, 1 << 40] {
            #expect(throws: ScrubError.self) {
                try movie.fragmentHead(number: 0, time: 0, duration: 1, byteCount: size)
            }
        }
        _ = try movie.fragmentHead(number: 0, time: .max, duration: .max, byteCount: Int(UInt32.max) - 8)
        #expect(throws: ScrubError.self) {
            try movie.fragmentHead(number: Int(UInt32.max), time: 0, duration: 1, byteCount: 1)
        }
    }

    @Test func namesCodecs() throws {
        func name(_ format: FourCC, _ bytes: [UInt8], _ colors: KeyframeCoding.Colors = .init()) throws -> String {
            try KeyframeCoding(format: format, configuration: bytes, colors: colors).codecs
        }
        #expect(try name("avc1", Self.avcC) == "avc1.64001f")
        #expect(try name("avc3", [1, 0x4D, 0x40, 0x0A, 0xFF, 0xE0, 0]) == "avc3.4d400a")
        // The examples of ISO/IEC 14496-15, E.3, and those of Apple's specification.
        let main: [UInt8] = [1, 1, 0x60, 0, 0, 0, 0xB0, 0, 0, 0, 0, 0, 93] + [UInt8](repeating: 0, count: 10)
        #expect(try name("hvc1", main) == "hvc1.1.6.L93.B0")
        let high: [UInt8] = [1, 0x62, 0x20, 0, 0, 0, 0x90, 0, 5, 0, 0, 0, 150] + [UInt8](repeating: 0, count: 10)
        #expect(try name("hev1", high) == "hev1.A2.4.H150.90.0.5")
        #expect(try name("av01", [0x81, 0x04, 0x0C, 0]) == "av01.0.04M.08")
        let wide = KeyframeCoding.Colors(primaries: 9, transfer: 16, matrix: 9)
        #expect(try name("av01", [0x81, 0x0D, 0xCC | 0x40, 0], wide) == "av01.0.13H.10.0.110.09.16.09.0")
        #expect(try name("vp09", [1, 0, 0, 0, 0, 10, 0x82, 2, 2, 2, 0, 0]) == "vp09.00.10.08")
        #expect(try name("vp09", [1, 0, 0, 0, 2, 10, 0xA2, 9, 16, 9, 0, 0]) == "vp09.02.10.10.01.09.16.09.00")
        #expect(try name("mjpg", []) == "mjpg")
        #expect(throws: ScrubError.self) { try name("mjpg", [1]) }
        #expect(throws: ScrubError.self) { try name("mp4v", [1, 2, 3]) }
        for format in ["avc1", "hvc1", "av01", "vp09"] as [FourCC] {
            for count in 0..<4 {
                #expect(throws: ScrubError.self) { try name(format, [UInt8](repeating: 7, count: count)) }
            }
        }
    }

    /// JPEG brings its own tables: the sample entry is its 86 bytes and nothing more (12.1.3).
    @Test func jpegHasNoConfiguration() throws {
        let movie = try KeyframeMovie(
            coding: KeyframeCoding(format: "mjpg", configuration: []), geometry: .init(width: 320, height: 180),
            timescale: 2, duration: 51)
        let entry = try #require(Data(movie.header).firstRange(of: Data("mjpg".utf8)))
        #expect(Array(movie.header[entry.lowerBound - 4..<entry.lowerBound]) == [0, 0, 0, 86])
        let head = try movie.fragmentHead(number: 0, time: 0, duration: 51, byteCount: 3)
        let track = try #require(try Movie(reading: MemorySource(movie.header + head + [1, 2, 3])).tracks.first)
        #expect(track.sampleEntries.map(\.format) == ["mjpg"] && track.sampleEntries.map(\.height) == [180])
        #expect(try track.sampleTable().keySamples() == [0])
    }

    @Test func secondsAreExactOrRounded() throws {
        let even = try KeyframeTimes(seconds: [.zero, Rational(10), Rational(20)], end: Rational(51, 2))
        #expect(even.timescale == 1000 && even.times == [0, 10_000, 20_000] && even.end == 25_500)
        #expect(even.duration(0) == 10_000 && even.duration(2) == 5500)
        let third = try KeyframeTimes(seconds: [.zero, Rational(1, 3)], end: .one)
        #expect(third.timescale == 1002 && third.times == [0, 334] && third.end == 1002)
        // NTSC, and thirds of seconds.
        let mixed = try KeyframeTimes(seconds: [.zero, Rational(1001, 30_000), Rational(1, 3)], end: .one)
        #expect(mixed.timescale == 30_000 && mixed.times == [0, 1001, 10_000] && mixed.end == 30_000)
        // No 32 bits say five thousand millionths of a second.
        let fine = try KeyframeTimes(seconds: [.zero, Rational(10_000_000_001, 5_000_000_000)], end: Rational(5))
        #expect(fine.timescale == 90_000 && fine.times == [0, 180_000] && fine.end == 450_000)
        // Three days of them: 32 bits of 1/90,000 s are 13 hours, so it is tenths here, and milliseconds elsewhere.
        let unit: Int64 = 1_000_000_007
        let days = Rational(259_200 * unit + 1, unit)
        let long = try KeyframeTimes(seconds: [.zero, days], end: Rational(2_592_007, 10))
        #expect(long.timescale == 10 && long.times == [0, 2_592_000] && long.end == 2_592_007)
        let film = try KeyframeTimes(seconds: [.zero, Rational(1, 7)], end: days)
        #expect(film.timescale == 1000 && film.times == [0, 143] && film.end == 259_200_000)
        for (times, end) in [
            ([Rational.zero, Rational(1, 5_000_000_000)], Rational.one), ([.one, .zero], Rational(2)), ([], .one),
            ([.zero], .zero), ([.zero], Rational(.max)), ([Rational(-1)], .one),
        ] as [([Rational], Rational)] {
            let error = #expect(throws: ScrubError.self) { try KeyframeTimes(seconds: times, end: end) }
            #expect(error?.code == .unavailable)
        }
    }

    @Test func timesAreExact() throws {
        // 1001/30000 s is 1001 units of 1/30000.
        let film = try KeyframeTimes([0, 30, 90], end: 100, unit: Rational(1001, 30_000))
        #expect(film.timescale == 30_000 && film.times == [0, 30_030, 90_090] && film.end == 100_100)
        #expect(film.duration(0) == 30_030 && film.duration(2) == 10_010)
        // Nanoseconds that are whole milliseconds, with ten seconds between pictures.
        let second: Int64 = 1_000_000_000
        let matroska = try KeyframeTimes(
            [0, 10 * second, 20 * second + 41_000_000], end: 21 * second, unit: Rational(1, second))
        #expect(matroska.timescale == 1000 && matroska.times == [0, 10_000, 20_041] && matroska.end == 21_000)
        #expect(throws: ScrubError.self) { try KeyframeTimes([0, 1], end: 10 * second, unit: Rational(1, second)) }
        for (times, end) in [([], 1), ([-1], 1), ([0, 0], 1), ([0, 2], 2)] as [([Int64], Int64)] {
            #expect(throws: ScrubError.self) { try KeyframeTimes(times, end: end, unit: .one) }
        }
    }
}
