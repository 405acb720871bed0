internal import ScrubBase

/// One of the equal parts that work over many files is divided into: `3/16` is the third of sixteen.
///
/// The shards of one count have no file in common and together have all. Any scheduler can thus run them in any order,
/// at the same time or one after the other, and one of them again.
package struct Shard: Hashable, Sendable, CustomStringConvertible {
    /// Which one, from 1 to `count`.
    package let number: Int
    /// The number of shards, 1 or more.
    package let count: Int

    /// More shards than any scheduler has tasks in one job: Kubernetes allows 100,000, AWS Batch and Cloud Run 10,000.
    package static let largestCount = 1_000_000

    /// Makes a shard; `nil` if there is no such shard.
    package init?(number: Int, count: Int) {
        guard (1...Shard.largestCount).contains(count), (1...count).contains(number) else { return nil }
        (self.number, self.count) = (number, count)
    }

    /// Its place among the shards, from 0.
    package var index: Int { number - 1 }

    /// As it is written on the command line, `3/16`.
    package var description: String { "\(number)/\(count)" }
}

extension Shard {
    /// The word of `--shard`.
    enum Word: Hashable {
        /// `3/16`.
        case shard(Shard)
        /// `16` alone: the scheduler says which one.
        case count(Int)

        /// - Throws: ``ScrubError/Code/usage``.
        init(_ text: String) throws(ScrubError) {
            let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            var numbers: [Int] = []
            for part in parts {
                guard let number = Shard.natural(String(decoding: part, as: UTF8.self)) else {
                    throw Word.fault("'\(text.shown)' is not a shard")
                }
                numbers.append(number)
            }
            guard let count = numbers.last, numbers.count <= 2 else {
                throw Word.fault("'\(text.shown)' is not a shard")
            }
            guard count >= 1 else { throw Word.fault("no files can be divided into \(count) shards") }
            guard count <= Shard.largestCount else {
                throw Word.fault("\(count) shards are more than \(Shard.largestCount)")
            }
            guard numbers.count == 2 else {
                self = .count(count)
                return
            }
            guard numbers[0] >= 1 else { throw Word.fault("there is no shard 0: the first one is 1/\(count)") }
            guard let shard = Shard(number: numbers[0], count: count) else {
                throw Word.fault("there is no shard \(numbers[0]) of \(count): the last one is \(count)/\(count)")
            }
            self = .shard(shard)
        }

        private static func fault(_ cause: String) -> ScrubError {
            ScrubError(
                .usage, cause, place: "--shard",
                advice: "give it as 3/16, the third of sixteen, or as 16 where a scheduler says which one")
        }
    }

    /// Parses a number of ASCII digits, without a sign; `nil` for anything else and for a number that does not fit.
    static func natural(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
