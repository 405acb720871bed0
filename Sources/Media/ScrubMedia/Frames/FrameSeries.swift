/// An asynchronous sequence of frames at many positions, with one result for each position.
///
/// Returned by ``FrameGenerator/frames(at:tolerance:order:)``,
/// ``FrameGenerator/images(at:tolerance:order:layout:alpha:options:)`` and
/// ``FrameGenerator/encodedFrames(at:as:tolerance:order:options:quality:)``. Each iterator decodes the frames again,
/// starting with its first `next()`.
///
/// Thread safety: safe from any task, but only one task at a time may use an iterator.
public struct FrameSeries<Value: Sendable>: AsyncSequence, Sendable {
    /// Starts an iteration, and returns the function that waits for its next result.
    let begin: @Sendable () throws(ScrubError) -> @Sendable () async throws -> Element?

    /// Creates a series of a product's results.
    init<Output: SeriesOutput>(_ request: SeriesRequest, _ output: Output) where Output.Value == Value {
        begin = { () throws(ScrubError) in
            // The run ends with its last reference, which is this function.
            let run = try FrameSeriesRun(request, output)
            return { try await run.next() }
        }
    }

    /// Creates an iterator. Decoding starts with its first `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(series: self) }

    /// An iterator over the results. Only one task at a time may use it.
    public struct Iterator: AsyncIteratorProtocol {
        let series: FrameSeries<Value>
        private var advance: (@Sendable () async throws -> Element?)?

        init(series: FrameSeries<Value>) { self.series = series }

        /// Returns the next result, or `nil` after the last one.
        ///
        /// - Throws: `CancellationError` if the task was cancelled; ``ScrubError`` with `usage` for an invalid option,
        ///   `inputOutput` if the system cannot create a thread, or `unavailable` if the ``DecodingResources`` do not
        ///   have enough memory for a series. An error at a single position is not thrown, but stored in that
        ///   position's result.
        public mutating func next() async throws -> Element? {
            try Task.checkCancellation()
            let advance = try self.advance ?? series.begin()
            self.advance = advance
            return try await advance()
        }
    }

    /// The result for one position in a series.
    public struct Element: Sendable {
        /// The zero-based index of the position in the series.
        public let index: Int
        /// The requested position.
        public let requested: FramePosition
        /// The value, or the error that prevented decoding or conversion.
        public let result: Result<Value, ScrubError>

        /// Returns the value.
        ///
        /// - Throws: the error that prevented decoding or conversion.
        public func get() throws(ScrubError) -> Value { try result.get() }
    }
}

extension FrameGenerator {
    /// The order in which a ``FrameSeries`` delivers its results.
    public enum Order: Hashable, Sendable {
        /// The order of the positions.
        ///
        /// Each group of pictures is decoded once if the times never go backward. If the times jump around, a group is
        /// decoded again whenever the series returns to it. In that case, sort the positions first, or use
        /// ``asDecoded``.
        case asRequested
        /// Each result as soon as it is decoded. Results arrive sooner, and each group of pictures is decoded once,
        /// whatever the order of the positions. ``FrameSeries/Element/index`` identifies the position.
        ///
        /// Up to 16,384 positions are read before the first frame is decoded. A longer series is decoded in batches of
        /// that size.
        case asDecoded
    }
}

/// The limits of a series.
package enum SeriesLimits {
    /// The maximum number of frames that are decoded ahead of the consumer. It is smaller if the frames would not fit
    /// in ``FrameReader/Options/cacheByteLimit``.
    package static let window = 32
    /// The maximum number of positions that are sorted into groups of pictures at a time, in a series with
    /// ``FrameGenerator/Order/asDecoded``.
    package static let lookAhead = 16_384
    /// The maximum number of pictures that wait for the consumer in a series with shared ``DecodingResources``.
    package static let waiting = 3
}
