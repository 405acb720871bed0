import ScrubBatchLogic
import ScrubBase

/// Lists of films, and which shard does them.
enum BatchBody {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        // The shard's word is text from outside too, and so is what a scheduler says.
        let words = bytes.split(separator: 0x0A, maxSplits: 5, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let names = ["SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MAX"]
        let environment = Dictionary(zip(names, words.dropFirst())) { first, _ in first }
        for word in [words.first, nil] {
            guard
                let shard = answer({ () throws(ScrubError) in try Shard.choice(word: word, environment: environment) })
            else { continue }
            if let shard { try expect((1...shard.count).contains(shard.number), "no shard: \(shard)") }
        }
        guard let manifest = answer({ () throws(ScrubError) in try BatchManifest(bytes) }) else { return }
        let entries = manifest.entries
        try expect(entries.count + manifest.repeatedCount <= bytes.count / 2 + 1, "more films than bytes")
        for entry in entries {
            try expect(!entry.place.isEmpty && entry.place.utf8.first != UInt8(ascii: "/"), "a place at the root")
            try expect(!entry.place.pathComponents.contains { $0 == ".." || $0 == "." }, "a place elsewhere")
            try expect(!entry.file.utf8.contains(0) && entry.line > 0, "a name with a byte 0")
            try expect(entry.cost.map { $0 >= 0 && $0.isFinite } ?? true, "a cost of \(entry.cost ?? 0)")
        }
        // The written text is the same.
        let text = entries.map { $0.text + "\n" }.joined()
        guard let again = answer({ () throws(ScrubError) in try BatchManifest(Array(text.utf8)) }) else {
            throw Finding(description: "what was written is not read back")
        }
        try expect(again.entries.map(\.text) == entries.map(\.text) && again.repeatedCount == 0, "written otherwise")
        try expect(
            again.entries.elementsEqual(entries) { $0.place.utf8.elementsEqual($1.place.utf8) }, "films at other places"
        )
        for count in [1, 3] {
            let shards = manifest.shards(count: count)
            try expect(shards.count == entries.count && shards.allSatisfy { (0..<count).contains($0) }, "no shard")
            try expect(shards == again.shards(count: count), "another shard the second time")
        }
    }
}
