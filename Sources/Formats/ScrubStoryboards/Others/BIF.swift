public import ScrubBase

extension Storyboard {
    /// The head of a BIF file (Base Index Frames, version 0, Roku): when each JPEG picture is shown and where it is.
    ///
    /// The file is ``header`` followed by the pictures. Plex, Emby and Roku read it.
    ///
    /// Thread safety: a value.
    public struct BIF: Hashable, Sendable {
        /// The form of times.
        public enum Timing: Hashable, Sendable {
            /// 0, 1, 2, ... times an interval, as every reader of BIF files expects.
            case interval
            /// Milliseconds, so that slots may begin anywhere; legal, but few readers are known to look at them.
            case exact
        }

        /// A picture.
        public struct Entry: Hashable, Sendable {
            /// The beginning of its slot, in units of ``Storyboard/BIF/multiplier``.
            public let timestamp: UInt32
            /// Its bytes in the file.
            public let byteRange: Range<Int>
        }

        static let magic: [UInt8] = [0x89, 0x42, 0x49, 0x46, 0x0D, 0x0A, 0x1A, 0x0A]
        /// The bytes before the index.
        static let fixedByteCount = 64
        /// The timestamp behind the last picture's.
        static let endMark = UInt32.max

        /// Milliseconds in a unit of time.
        public let multiplier: UInt32
        /// The pictures, in the order of their times.
        public let entries: [Entry]

        init(multiplier: UInt32, entries: [Entry]) { (self.multiplier, self.entries) = (multiplier, entries) }

        /// Places pictures of known sizes one behind the other.
        ///
        /// - Parameters:
        ///   - multiplier: milliseconds in a unit of time, at least 1.
        ///   - timestamps: the beginning of each slot, in those units, in ascending order.
        ///   - byteCounts: the number of each picture's bytes, at least 1.
        /// - Throws: ``ScrubError/Code/usage`` when something is not so, or the file would be 4 GiB or larger, which
        ///   its 32-bit offsets cannot say.
        public init(multiplier: UInt32, timestamps: [UInt32], byteCounts: [Int]) throws(ScrubError) {
            guard multiplier > 0, !timestamps.isEmpty, timestamps.count == byteCounts.count else {
                throw ScrubError(
                    .usage, "a BIF file needs a unit of time, and a time and a picture for each thumbnail",
                    advice: "give as many times as pictures, and a unit above 0")
            }
            guard zip(timestamps, timestamps.dropFirst()).allSatisfy(<), timestamps.last != BIF.endMark else {
                throw ScrubError(
                    .usage, "times of a BIF file must ascend, two are the same or the last one is too great",
                    advice: "make fewer thumbnails")
            }
            var (offset, overflow) = (BIF.fixedByteCount, false)
            if timestamps.count > Int(UInt32.max) / 8 - 9 { overflow = true }
            offset = overflow ? offset : BIF.headerByteCount(pictures: timestamps.count)
            var entries: [Entry] = []
            entries.reserveCapacity(timestamps.count)
            for (timestamp, count) in zip(timestamps, byteCounts) where !overflow {
                guard count > 0 else {
                    throw ScrubError(
                        .usage, "picture \(entries.count) of a BIF file has no bytes", advice: "leave the picture out")
                }
                guard count <= Int(UInt32.max) - offset else {
                    overflow = true
                    break
                }
                entries.append(Entry(timestamp: timestamp, byteRange: offset..<offset + count))
                offset += count
            }
            guard !overflow else {
                throw ScrubError(
                    .usage, "a BIF file holds less than 4 GiB, and these pictures are more",
                    advice: "make fewer or smaller thumbnails")
            }
            self.init(multiplier: multiplier, entries: entries)
        }

        /// Makes the head for a set of single JPEG pictures.
        ///
        /// - Throws: ``ScrubError/Code/usage`` when the set has sheets or another format, or its slots cannot be said
        ///   with `timing`; ``ScrubError/Code/badData`` when the set is not valid.
        public init(_ storyboard: Storyboard, timing: Timing = .interval) throws(ScrubError) {
            try storyboard.validate()
            guard storyboard.columns == 1, storyboard.rows == 1, storyboard.format == .jpeg else {
                throw ScrubError(
                    .usage,
                    "a BIF file holds one JPEG picture for each thumbnail, and this set has \(storyboard.columns == 1 && storyboard.rows == 1 ? "\(storyboard.format.rawValue) pictures" : "them on sheets")",
                    advice: "make the set as JPEG with 1 column and 1 row, or \(term: .convertsWithQuality)")
            }
            let sizes = storyboard.thumbnails.map { storyboard.sheets[$0.sheet].byteCount }
            guard timing == .interval else {
                var times: [UInt32] = []
                for thumbnail in storyboard.thumbnails {
                    guard let time = UInt32(exactly: thumbnail.start.rounded(Rational.milliseconds)) else {
                        throw ScrubError(
                            .usage, "\(thumbnail.start) s is too late for a BIF file in milliseconds",
                            advice: "write WebVTT for a film of this length")
                    }
                    times.append(time)
                }
                try self.init(multiplier: 1, timestamps: times, byteCounts: sizes)
                return
            }
            var interval = try storyboard.evenInterval(for: "BIF", lastStays: true)
            // One picture is shown from 0 whatever the interval is.
            if sizes.count == 1, let whole = Int64(exactly: interval.roundedUp(Rational.milliseconds)) {
                interval = Rational(whole, Rational.milliseconds)
            }
            guard Rational.milliseconds % interval.denominator == 0,
                let milliseconds = UInt32(exactly: interval.rounded(Rational.milliseconds))
            else {
                throw ScrubError(
                    .usage, "a BIF file's interval is whole milliseconds, \(interval) s is not",
                    advice: "make a thumbnail every so many seconds, or write exact times")
            }
            try self.init(
                multiplier: milliseconds, timestamps: Array(0..<UInt32(clamping: sizes.count)), byteCounts: sizes)
        }

        /// Returns the beginning of a picture's slot, in milliseconds.
        public func milliseconds(of entry: Int) -> Int { Int(entries[entry].timestamp) * Int(multiplier) }

        /// Bytes of the whole file.
        public var byteCount: Int { entries.last?.byteRange.upperBound ?? BIF.fixedByteCount + 8 }

        /// Returns the number of bytes before the first picture.
        ///
        /// - Parameter count: pictures in the file.
        package static func headerByteCount(pictures count: Int) -> Int { fixedByteCount + 8 * (count + 1) }

        /// The bytes before the first picture.
        public var header: [UInt8] {
            var bytes = BIF.magic
            bytes.reserveCapacity(BIF.fixedByteCount + 8 * (entries.count + 1))
            func append(_ value: UInt32) {
                for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
            }
            append(0)
            append(UInt32(entries.count))
            append(multiplier)
            bytes += [UInt8](repeating: 0, count: 44)
            for entry in entries {
                append(entry.timestamp)
                append(UInt32(entry.byteRange.lowerBound))
            }
            append(BIF.endMark)
            append(UInt32(byteCount))
            return bytes
        }

        /// The name that Plex looks for in a bundle's `Contents/Indexes`.
        public static let plexName = "index-sd.bif"

        /// Returns the name that Emby looks for beside the video, as in `Movie-320-10.bif`.
        ///
        /// - Parameters:
        ///   - base: the video's file name without its suffix.
        ///   - width: a picture's width in pixels.
        ///   - interval: whole seconds from picture to picture.
        public static func embyName(base: String, width: Int, interval: Int) -> String {
            "\(base)-\(width)-\(interval).bif"
        }
    }
}
