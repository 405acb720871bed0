import Foundation
import Testing

@testable import ScrubBitstream

/// Compares the parsers with the facts of FFmpeg's decoders about real files. See ``CorpusStream``.
@Suite(.enabled(if: !CorpusStream.files.isEmpty), .serialized)
struct CorpusTests {
    /// Files whose pictures are partly missing or damaged: decoders conceal, and no order is right.
    private static let damaged = ["IDR_LOST", "Error_I_P", "corrupted"]

    @Test(arguments: CorpusStream.files)
    func agreesWithDecoder(file: URL) throws {
        guard let stream = try CorpusStream(file, limit: 300) else { return }
        var parser = PictureParser(codec: stream.codec, extradata: stream.extradata)
        var shown: [(epoch: Int, order: Int, position: Int)] = []
        var types: [Int: CodedPicture] = [:]
        var epoch = 0
        var unread = 0
        var summary: [RandomAccess: Int] = [:]
        var references = 0
        var hidden = 0
        for (index, packet) in stream.packets.enumerated() {
            let picture = parser.parse(packet.bytes.span)
            checkHead(packet.bytes, picture: picture, parser: parser)
            if !picture.isUnderstood { unread += 1 }
            summary[picture.randomAccess, default: 0] += 1
            if picture.isReference { references += 1 }
            if !picture.isShown { hidden += 1 }
            if picture.startsSequence { epoch += 1 }
            guard let position = packet.position, !picture.isSecondField else { continue }
            if types[position] == nil { types[position] = picture }
            if picture.isShown { shown.append((epoch, picture.orderCount ?? index, position)) }
        }
        let expected = stream.frames.compactMap(\.position)
        shown.sort { ($0.epoch, $0.order) < ($1.epoch, $1.order) }
        let given = shown.map(\.position)
        let (wanted, known) = (Set(expected), Set(given))
        let mismatched = stream.frames.filter { frame in
            guard let position = frame.position, let picture = types[position], !picture.isFieldPair else {
                return false
            }
            return picture.pictureCount == 1 && picture.pictureType != .unknown
                && "\(picture.pictureType)".uppercased() != frame.type
        }
        // A second edit can give packets twice: then positions don't tell which is which.
        let isUnique = known.count == given.count
        let inOrder = given.filter(wanted.contains) == expected.filter(known.contains)
        print(
            file.lastPathComponent, stream.codec, "packets", stream.packets.count, "frames",
            stream.frames.count, "shown", shown.count, "unread", unread, "hidden", hidden, "references",
            references, "types wrong", mismatched.count, "of",
            stream.frames.count { types[$0.position ?? -1] != nil }, "order", inOrder ? "same" : "other",
            summary.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key) \($0.value)" })
        #expect(mismatched.isEmpty)
        // Only these two code their presentation order.
        guard stream.codec == .h264 || stream.codec == .hevc else { return }
        guard !CorpusTests.damaged.contains(where: file.path.contains) else { return }
        #expect(inOrder || !isUnique)
    }

    /// The head of a sample alone must tell the same restarts as the stream read from its beginning.
    private func checkHead(_ bytes: [UInt8], picture: CodedPicture, parser: PictureParser) {
        guard picture.isUnderstood, !picture.isSecondField else { return }
        let head = Array(bytes.prefix(4096))
        switch parser.examine(sampleHead: head.span, isWhole: head.count == bytes.count) {
        case .picture(let alone): #expect(alone.randomAccess == picture.randomAccess)
        case .needsMoreBytes: #expect(head.count < bytes.count)
        case .unreadable: Issue.record("a readable packet is unreadable by itself")
        }
    }
}
