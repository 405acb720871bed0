/// A four-character code: the type of a box, a brand, a coding name (ISO/IEC 14496-12, 4.2).
package struct FourCC: Hashable, Sendable {
    /// The four bytes, the first one in the highest bits.
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The four bytes, first to last.
    package var bytes: [UInt8] {
        [
            UInt8(truncatingIfNeeded: rawValue >> 24), UInt8(truncatingIfNeeded: rawValue >> 16),
            UInt8(truncatingIfNeeded: rawValue >> 8), UInt8(truncatingIfNeeded: rawValue),
        ]
    }
}

extension FourCC: ExpressibleByStringLiteral {
    /// Takes the first four bytes of the literal, padded with spaces.
    package init(stringLiteral value: String) {
        var code: UInt32 = 0
        var length = 0
        for byte in value.utf8.prefix(4) {
            code = code << 8 | UInt32(byte)
            length += 1
        }
        while length < 4 {
            code = code << 8 | 0x20
            length += 1
        }
        self.init(rawValue: code)
    }
}

extension FourCC: CustomStringConvertible {
    /// The four characters, with `?` for bytes that are not printable ASCII.
    package var description: String {
        String(decoding: bytes.map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }
}

// The codes that this module uses. They are stored once, because a comparison in a loop over thousands of movie
// fragments must not rebuild its string.
extension FourCC {
    // Top level.
    package static let ftyp: FourCC = "ftyp"
    package static let styp: FourCC = "styp"
    package static let moov: FourCC = "moov"
    package static let moof: FourCC = "moof"
    package static let mdat: FourCC = "mdat"
    package static let mfra: FourCC = "mfra"
    package static let sidx: FourCC = "sidx"
    package static let free: FourCC = "free"
    package static let skip: FourCC = "skip"
    package static let wide: FourCC = "wide"
    package static let uuid: FourCC = "uuid"
    // Movie.
    package static let mvhd: FourCC = "mvhd"
    package static let mvex: FourCC = "mvex"
    package static let trex: FourCC = "trex"
    package static let cmov: FourCC = "cmov"
    package static let trak: FourCC = "trak"
    package static let tkhd: FourCC = "tkhd"
    package static let edts: FourCC = "edts"
    package static let elst: FourCC = "elst"
    package static let mdia: FourCC = "mdia"
    package static let mdhd: FourCC = "mdhd"
    package static let hdlr: FourCC = "hdlr"
    package static let minf: FourCC = "minf"
    package static let stbl: FourCC = "stbl"
    // Sample tables.
    package static let stsd: FourCC = "stsd"
    package static let stts: FourCC = "stts"
    package static let ctts: FourCC = "ctts"
    package static let cslg: FourCC = "cslg"
    package static let stsc: FourCC = "stsc"
    package static let stsz: FourCC = "stsz"
    package static let stz2: FourCC = "stz2"
    package static let stco: FourCC = "stco"
    package static let co64: FourCC = "co64"
    package static let stss: FourCC = "stss"
    package static let stps: FourCC = "stps"
    package static let sdtp: FourCC = "sdtp"
    package static let sgpd: FourCC = "sgpd"
    package static let sbgp: FourCC = "sbgp"
    package static let subs: FourCC = "subs"
    package static let saiz: FourCC = "saiz"
    package static let saio: FourCC = "saio"
    package static let senc: FourCC = "senc"
    // Sample entries.
    package static let sinf: FourCC = "sinf"
    package static let clap: FourCC = "clap"
    package static let frma: FourCC = "frma"
    package static let schm: FourCC = "schm"
    // Sample groups.
    package static let rap: FourCC = "rap "
    package static let roll: FourCC = "roll"
    package static let sync: FourCC = "sync"
    // Fragments.
    package static let traf: FourCC = "traf"
    package static let tfhd: FourCC = "tfhd"
    package static let tfdt: FourCC = "tfdt"
    package static let trun: FourCC = "trun"
    package static let tfra: FourCC = "tfra"
    // Handlers.
    package static let vide: FourCC = "vide"
    package static let soun: FourCC = "soun"
}
