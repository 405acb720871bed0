/// Display order from sort keys, within sections that never mix.
///
/// A section is a run of pictures in decode order that are all shown before those of the next run. It is the part
/// between two splices, two edits, or two pictures that begin a coded video sequence.
package enum DisplayOrder {
    /// Sorts the pictures of each section by key, equal keys by decode order.
    ///
    /// - Parameters:
    ///   - keys: one per picture.
    ///   - sectionStarts: the first pictures of all sections except the first, in ascending order.
    ///   - isShown: returns whether a picture belongs to the order.
    /// - Complexity: O(n × reorder depth) for ordinary streams, O(n log n) for any stream.
    package static func sort(
        keys: [Int64], sectionStarts: [Int], isShown: (Int) -> Bool
    ) -> [UInt32] {
        var order: [UInt32] = []
        order.reserveCapacity(keys.count)
        var begin = 0
        for end in sectionStarts + [keys.count] {
            appendSorted(begin..<end, keys: keys, isShown: isShown, to: &order)
            begin = end
        }
        return order
    }

    private static func appendSorted(
        _ section: Range<Int>, keys: [Int64], isShown: (Int) -> Bool, to order: inout [UInt32]
    ) {
        let first = order.count
        // Insertion from the end: encoders reorder over a few pictures only. If the budget is exceeded, a full sort is
        // used.
        var budget = 64 * section.count + 1024
        for picture in section where isShown(picture) { order.append(UInt32(picture)) }
        var places = order.mutableSpan
        for next in first..<places.count {
            let picture = places[next]
            let key = keys[Int(picture)]
            var place = next
            while place > first, budget > 0, keys[Int(places[place - 1])] > key {
                places[place] = places[place - 1]
                place -= 1
                budget -= 1
            }
            if place != next { places[place] = picture }
        }
        if budget == 0 {
            order[first...].sort { (keys[Int($0)], $0) < (keys[Int($1)], $1) }
        }
    }

    /// Returns keys for the MPEG-1, -2, and -4 family, in which a B picture is shown at once and every other picture
    /// waits for the next one that is not a B picture (ISO/IEC 13818-2 6.1.1.11). B pictures without a preceding
    /// picture, as in a stream that was cut inside a group, are shown at once like all others.
    ///
    /// - Parameters:
    ///   - isBidirectional: returns whether a picture is a B picture.
    ///   - isShown: returns false for pictures that are not frames of their own, such as second fields.
    package static func anchorKeys(
        count: Int, isBidirectional: (Int) -> Bool, isShown: (Int) -> Bool
    ) -> [Int64] {
        var keys = [Int64](repeating: 0, count: count)
        var next: Int64 = 0
        var waiting: Int?
        for picture in 0..<count where isShown(picture) {
            if isBidirectional(picture) {
                keys[picture] = next
            } else {
                let anchor = waiting
                waiting = picture
                guard let anchor else { continue }
                keys[anchor] = next
            }
            next += 1
        }
        if let anchor = waiting { keys[anchor] = next }
        return keys
    }
}
