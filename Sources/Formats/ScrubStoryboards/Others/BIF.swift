package import ScrubBase

extension Storyboard {
    /// The head of a BIF file (Base Index Frames, version 0, Roku), which specifies when each JPEG picture is shown and
    /// where it is in the file.
    ///
    /// The file is ``header`` followed by the pictures. Plex, Emby and Roku read it.
    ///
    /// Thread safety: a value type.
    package struct BIF: Hashable, Sendable {
        /// The representation of times.
        package enum Timing: Hashable, Sendable {
            /// Multiples 0, 1, 2, ... of an interval, as every reader of BIF files expects.
            case interval
            /// Milliseconds, so that slots may begin anywhere. This is legal, but few readers are known to use such
            /// times.
            case exact
        }

        /// A picture.
        package struct Entry: Hashable, Sendable {
            /// The start of the picture's slot, in units of ``Storyboard/BIF/multiplier``.
            package let timestamp: UInt32
            /// The picture's byte range in the file.
            package let byteRange: Range<Int>
        }

        static let magic: [UInt8] = [0x89, 0x42, 0x49, 0x46, 0x0D, 0x0A, 0x1A, 0x0A]
        /// The number of bytes before the index.
        static let fixedByteCount = 64
        /// The timestamp after the last picture's.
        static let endMark = UInt32.max

        /// The number of milliseconds in a unit of time.
        package let multiplier: UInt32
        /// The pictures, in time order.
        package let entries: [Entry]

        init(multiplier: UInt32, entries: [Entry]) { (self.multiplier, self.entries) = (multiplier, entries) }

        /// Creates the head for pictures of known sizes that follow one another.
        ///
        /// - Parameters:
        ///   - multiplier: the number of milliseconds in a unit of time, 1 or more.
        ///   - timestamps: the start of each slot in those units, in ascending order.
        ///   - byteCounts: the size of each picture in bytes, 1 or more.
        /// - Throws: ``ScrubError/Code/usage`` if an argument violates these rules, or if the file would be 4 GiB or
        ///   larger, which its 32-bit offsets cannot represent.
        package init(multiplier: UInt32, timestamps: [UInt32], byteCounts: [Int]) throws(ScrubError) {
            guard multiplier > 0, !timestamps.isEmpty, timestamps.count == byteCounts.count else {
                throw ScrubError(
                    .usage, "a BIF file needs a time unit, and a time and a picture for each thumbnail",
                    advice: "pass one time for each picture, and a unit above 0")
            }
            guard zip(timestamps, timestamps.dropFirst()).allSatisfy(<), timestamps.last != BIF.endMark else {
                throw ScrubError(
                    .usage,
                    "times in a BIF file must ascend: two are equal or out of order, or the last one is too large",
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
                    .usage, "a BIF file must be smaller than 4 GiB, but these pictures are larger",
                    advice: "make fewer or smaller thumbnails")
            }
            self.init(multiplier: multiplier, entries: entries)
        }

        /// Creates the head for a set of single JPEG pictures.
        ///
        /// - Throws: ``ScrubError/Code/usage`` if the set has sheets or another format, or if `timing` cannot represent
        ///   its slots; ``ScrubError/Code/badData`` if the set is not valid.
        package init(_ storyboard: Storyboard, timing: Timing = .interval) throws(ScrubError) {
            try storyboard.validate()
            guard storyboard.columns == 1, storyboard.rows == 1, storyboard.format == .jpeg else {
                throw ScrubError(
                    .usage,
                    "a BIF file holds one JPEG picture for each thumbnail, but this set has \(storyboard.columns == 1 && storyboard.rows == 1 ? "\(storyboard.format.rawValue) pictures" : "them on sheets")",
                    advice: "make the set as JPEG with 1 column and 1 row, or \(term: .convertsWithQuality)")
            }
            let sizes = storyboard.thumbnails.map { storyboard.sheets[$0.sheet].byteCount }
            guard timing == .interval else {
                var times: [UInt32] = []
                for thumbnail in storyboard.thumbnails {
                    guard let time = UInt32(exactly: thumbnail.start.rounded(Rational.milliseconds)) else {
                        throw ScrubError(
                            .usage, "\(thumbnail.start) s is too late for a BIF file with millisecond times",
                            advice: "write WebVTT for a video of this length")
                    }
                    times.append(time)
                }
                try self.init(multiplier: 1, timestamps: times, byteCounts: sizes)
                return
            }
            var interval = try storyboard.evenInterval(for: "BIF", lastStays: true)
            // A single picture is shown from 0, whatever the interval is.
            if sizes.count == 1, let whole = Int64(exactly: interval.roundedUp(Rational.milliseconds)) {
                interval = Rational(whole, Rational.milliseconds)
            }
            guard Rational.milliseconds % interval.denominator == 0,
                let milliseconds = UInt32(exactly: interval.rounded(Rational.milliseconds))
            else {
                throw ScrubError(
                    .usage, "a BIF file's interval must be in whole milliseconds, but it is \(interval) s",
                    advice: "set an interval of whole milliseconds, or write exact times")
            }
            try self.init(
                multiplier: milliseconds, timestamps: Array(0..<UInt32(clamping: sizes.count)), byteCounts: sizes)
        }

        /// Returns the start of a picture's slot, in milliseconds.
        package func milliseconds(of entry: Int) -> Int { Int(entries[entry].timestamp) * Int(multiplier) }

        /// The size of the whole file in bytes.
        package var byteCount: Int { entries.last?.byteRange.upperBound ?? BIF.fixedByteCount + 8 }

        /// Returns the number of bytes before the first picture.
        ///
        /// - Parameter count: the number of pictures in the file.
        package static func headerByteCount(pictures count: Int) -> Int { fixedByteCount + 8 * (count + 1) }

        /// The bytes before the first picture.
        package var header: [UInt8] {
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
        package static let plexName = "index-sd.bif"

        /// Returns the name that Emby looks for next to the video, as in `Movie-320-10.bif`.
        ///
        /// - Parameters:
        ///   - base: the video's file name without its extension.
        ///   - width: a picture's width in pixels.
        ///   - interval: the number of whole seconds between pictures.
        package static func embyName(base: String, width: Int, interval: Int) -> String {
            "\(base)-\(width)-\(interval).bif"
        }
    }
}
