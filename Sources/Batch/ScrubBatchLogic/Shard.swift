internal import ScrubBase

/// One of the equal parts into which work on many files is divided: `3/16` is the third of sixteen.
///
/// The shards of one count have no files in common and together contain all files. Any scheduler can therefore run them
/// in any order, in parallel or one after another, and can repeat one.
package struct Shard: Hashable, Sendable, CustomStringConvertible {
    /// Its number, from 1 to `count`.
    package let number: Int
    /// The number of shards, 1 or more.
    package let count: Int

    /// More shards than any scheduler allows tasks in one job: Kubernetes allows 100,000, AWS Batch and Cloud Run
    /// 10,000.
    package static let largestCount = 1_000_000

    /// Creates a shard; `nil` if there is no such shard.
    package init?(number: Int, count: Int) {
        guard (1...Shard.largestCount).contains(count), (1...count).contains(number) else { return nil }
        (self.number, self.count) = (number, count)
    }

    /// Its index among the shards, from 0.
    package var index: Int { number - 1 }

    /// As written on the command line, `3/16`.
    package var description: String { "\(number)/\(count)" }
}

extension Shard {
    /// The argument of `--shard`.
    enum Word: Hashable {
        /// `3/16`.
        case shard(Shard)
        /// `16` alone: the scheduler says which shard.
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
            guard count >= 1 else { throw Word.fault("files cannot be divided into \(count) shards") }
            guard count <= Shard.largestCount else {
                throw Word.fault("\(count) shards are too many: the limit is \(Shard.largestCount)")
            }
            guard numbers.count == 2 else {
                self = .count(count)
                return
            }
            guard numbers[0] >= 1 else { throw Word.fault("there is no shard 0: the first is 1/\(count)") }
            guard let shard = Shard(number: numbers[0], count: count) else {
                throw Word.fault("there is no shard \(numbers[0]) of \(count): the last is \(count)/\(count)")
            }
            self = .shard(shard)
        }

        private static func fault(_ cause: String) -> ScrubError {
            ScrubError(
                .usage, cause, place: "--shard",
                advice: "use 3/16 for the third of 16 shards, or 16 if a scheduler provides the shard number")
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
