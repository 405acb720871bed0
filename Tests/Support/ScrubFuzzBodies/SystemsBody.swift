import ScrubMPEGSystems

/// Packets, tables and time stamps of MPEG transport streams and program streams.
enum SystemsBody {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        if let layout = TransportLayout(head: bytes.span) {
            if let tables = TransportTables(head: bytes.span, layout) {
                try expect(tables.packets.count <= bytes.count, "more tables than bytes")
                try expect(tables.packets.count % layout.spacing == 0, "a part of a packet")
            }
            for stream in [0x100, 0x1011, Int(bytes.last ?? 0)] {
                try check(layout.units(of: stream, in: bytes.span), of: bytes)
                let one = layout.units(of: stream, in: bytes.span, limit: 1)
                try expect(one.count <= 1, "more units than asked for")
            }
        }
        for stream in [0xE0, bytes.last ?? 0] as [UInt8] {
            let units = ProgramPacks.units(of: stream, in: bytes.span)
            try check(units, of: bytes)
            for unit in units {
                try expect(ProgramPacks.isPack(bytes.span, at: unit.position), "no pack at \(unit.position)")
            }
        }
    }

    private static func check(_ units: [TimedUnit], of bytes: [UInt8]) throws(Finding) {
        var last = -1
        for unit in units {
            try expect(unit.position > last && unit.position < bytes.count, "a unit at \(unit.position)")
            last = unit.position
            let period = PESHeader.period
            try expect((0..<period).contains(unit.presentationTime), "a time of more than 33 bits")
            try expect((0..<period).contains(unit.decodeTime), "a time of more than 33 bits")
            let clock = WrappingClock(first: unit.decodeTime)
            let away = clock.time(of: unit.presentationTime) - clock.time(of: unit.decodeTime)
            try expect(away >= -60 * 90_000 && away < period, "a time \(away) away")
        }
    }
}
