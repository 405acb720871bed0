import ScrubFileIO
import ScrubHashing
import ScrubBase
import ScrubIndex

/// The saved files of a medium: the index, and later findings.
///
/// Checksum and key are put right first, so that the contents are read, as a program with a bug could have saved them.
enum SavedBody {
    /// Three bytes that say what they are.
    private struct KnownSource: ByteSource {
        let byteCount: Int64 = 3
        let contentIdentifier: String? = "fuzz"
        func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let count = min(buffer.count, max(0, 3 - Int(offset)))
            for index in 0..<count { buffer[index] = 1 }
            return count
        }
    }

    private static let key: IndexFile.Key? = answer { () throws(ScrubError) in
        try IndexFile.Key(try MediaSource(KnownSource(), name: "fuzz"), requestedStream: nil)
    }

    static func check(_ bytes: [UInt8]) throws(Finding) {
        guard let key else { throw Finding(description: "no key") }
        _ = answer { () throws(ScrubError) in try IndexFile.decode(bytes, key: key) }
        try checkIndex(bytes, key)
        // The others have one envelope: magic number, checksum, version, key.
        _ = answer { () throws(ScrubError) in
            try DependencyFile.decode(
                envelope(bytes, like: DependencyFile.encode([], key: key)).span, key: key, pictures: 1000)
        }
        _ = answer { () throws(ScrubError) in
            try RestartProofFile.decode(
                envelope(bytes, like: RestartProofFile.encode([:], key: key)).span, key: key, pictures: 1000)
        }
        let cost = answer { () throws(ScrubError) in
            try CostFile.decode(
                envelope(bytes, like: CostFile.encode(CostSummary(), key: key)).span, key: key, frameCount: 1000)
        }
        if let cost {
            let back = answer { () throws(ScrubError) in
                try CostFile.decode(CostFile.encode(cost, key: key).span, key: key, frameCount: 1000)
            }
            try expect(back == cost, "other costs the second time")
        }
        let facts = answer { () throws(ScrubError) in
            try MediaFactsFile.decode(envelope(bytes, like: nil, key).span, key: key)
        }
        if let facts {
            let back = answer { () throws(ScrubError) in
                try MediaFactsFile.decode(MediaFactsFile.encode(facts, key: key).span, key: key)
            }
            try expect(back == facts, "other facts the second time")
        }
    }

    private static func checkIndex(_ bytes: [UInt8], _ key: IndexFile.Key) throws(Finding) {
        let header = 32
        var key64 = BinaryWriter()
        key.write(to: &key64)
        guard bytes.count >= header + key64.bytes.count else { return }
        var whole = bytes
        var head = BinaryWriter()
        head.write(UInt64(0x5844_4942_5552_4353))
        head.write(IndexFile.version)
        head.write(UInt32(0))
        whole.replaceSubrange(0..<16, with: head.bytes)
        whole.replaceSubrange(header..<header + key64.bytes.count, with: key64.bytes)
        var sum = BinaryWriter()
        sum.write(xxh3(whole.span.extracting(24..<whole.count)))
        whole.replaceSubrange(16..<24, with: sum.bytes)
        guard let index = answer({ () throws(ScrubError) in try IndexFile.decode(whole, key: key) }) else { return }
        try expect(index.pictures.count <= bytes.count, "\(index.pictures.count) pictures in \(bytes.count) bytes")
        let first = IndexFile.encode(index, key: key)
        guard let back = answer({ () throws(ScrubError) in try IndexFile.decode(first, key: key) }) else {
            throw Finding(description: "what was saved is not read back")
        }
        try expect(IndexFile.encode(back, key: key) == first, "saved otherwise the second time")
        for position in [
            FramePosition.first, .last, .frame(1), .fraction(Rational(1, 2)), .time(Rational(1)),
            .time(Rational(1 << 40)),
        ] {
            if let frame = answer({ () throws(ScrubError) in try index.resolve(position) })?.frame {
                try expect((0..<index.frameCount).contains(frame), "frame \(frame) of \(index.frameCount)")
                _ = (index.time(ofFrame: frame), index.duration(ofFrame: frame), index.offset(ofFrame: frame))
                _ = (index.presentationTime(ofFrame: frame), index.duration)
            }
        }
        for picture in 0..<min(64, index.pictures.count) {
            if let frame = index.frame(ofPicture: picture) { try expect(frame < index.frameCount, "frame \(frame)") }
        }
        for table in index.dependencies {
            for unit in table.traits.indices.prefix(256) {
                try expect(table.references(of: unit).allSatisfy { $0 < unit }, "a reference forward")
            }
        }
    }

    /// The bytes' contents in a sound envelope.
    private static func envelope(_ bytes: [UInt8], like sample: [UInt8]?, _ key: IndexFile.Key? = nil) -> [UInt8] {
        var body = BinaryWriter()
        key?.write(to: &body)
        let front: [UInt8]
        if let sample {
            // Magic, checksum, version and key are as in the sample.
            front = Array(sample.prefix(16 + 8 + 56))
        } else {
            front = Array(bytes.prefix(24)) + body.bytes
        }
        guard bytes.count >= front.count, front.count >= 16 else { return bytes }
        var whole = front + bytes.dropFirst(front.count)
        var sum = BinaryWriter()
        sum.write(xxh3(whole.span.extracting(16..<whole.count)))
        whole.replaceSubrange(8..<16, with: sum.bytes)
        return whole
    }
}
