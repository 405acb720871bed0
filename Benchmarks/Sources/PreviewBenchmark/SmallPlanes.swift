import Scrub

/// A picture's planes of 8 bits, without padding.
struct SmallPlanes: Sendable {
    struct Plane: Sendable {
        var width: Int
        var height: Int
        var samples: [UInt8]
    }

    var planes: [Plane]

    /// Copies a picture's planes.
    ///
    /// - Returns: `nil` for pictures of more than 8 bits, and for those whose planes hold several components.
    init?(_ picture: FramePicture) {
        guard ["yuv420p", "yuvj420p", "yuv422p", "yuv444p", "gray"].contains(picture.pixelFormat) else { return nil }
        planes = (0..<picture.planeCount).map { number in
            let plane = picture.plane(number)
            var samples: [UInt8] = []
            samples.reserveCapacity(plane.bytesPerRow * plane.rowCount)
            for row in 0..<plane.rowCount {
                plane.withRow(row) { span in
                    span.withUnsafeBufferPointer { samples.append(contentsOf: $0) }
                }
            }
            return Plane(width: plane.bytesPerRow, height: plane.rowCount, samples: samples)
        }
    }

    init(planes: [Plane]) { self.planes = planes }

    /// Returns the planes as large as those of another picture, averaged over areas.
    ///
    /// It is a way of its own to reduce pictures: with the session's, a fault of that one would be in both.
    func reduced(as other: SmallPlanes) -> SmallPlanes {
        SmallPlanes(
            planes: zip(planes, other.planes).map { plane, small in
                plane.reduced(width: small.width, height: small.height)
            })
    }

    /// Returns the mean distance of the codes of each plane.
    func distances(to other: SmallPlanes) -> [Double] {
        zip(planes, other.planes).map { one, other in
            var sum = 0
            for place in one.samples.indices { sum += abs(Int(one.samples[place]) - Int(other.samples[place])) }
            return Double(sum) / Double(max(1, one.samples.count))
        }
    }

    /// Returns the mean distance of the codes of all samples.
    func distance(to other: SmallPlanes) -> Double {
        let counts = planes.map { Double($0.samples.count) }
        let sum = zip(distances(to: other), counts).map { $0 * $1 }.reduce(0, +)
        return sum / max(1, counts.reduce(0, +))
    }
}

extension SmallPlanes.Plane {
    /// One sample of a reduced row or column: the first source sample, and the weights of it and of those behind it, of
    /// 4,096.
    private static func weights(from source: Int, to target: Int) -> [(first: Int, shares: [Int])] {
        (0..<target).map { place in
            let (begin, end) = (Double(place * source) / Double(target), Double((place + 1) * source) / Double(target))
            let first = Int(begin)
            let last = max(first, min(source, Int(end.rounded(.up))) - 1)
            var shares = (first...last).map { sample in
                let covered = min(end, Double(sample + 1)) - max(begin, Double(sample))
                return Int((4096 * covered / (end - begin)).rounded())
            }
            shares[shares.count / 2] += 4096 - shares.reduce(0, +)
            return (first, shares)
        }
    }

    func reduced(width: Int, height: Int) -> SmallPlanes.Plane {
        let (across, down) = (Self.weights(from: self.width, to: width), Self.weights(from: self.height, to: height))
        var result = [UInt8](repeating: 0, count: width * height)
        var row = [Int](repeating: 0, count: self.width)
        samples.withUnsafeBufferPointer { samples in
            for (y, vertical) in down.enumerated() {
                for x in row.indices { row[x] = 0 }
                for (place, share) in vertical.shares.enumerated() where share != 0 {
                    let begin = (vertical.first + place) * self.width
                    for x in row.indices { row[x] &+= share &* Int(samples[begin + x]) }
                }
                for (x, horizontal) in across.enumerated() {
                    var sum = 0
                    for (place, share) in horizontal.shares.enumerated() {
                        sum &+= share &* row[horizontal.first + place]
                    }
                    result[y * width + x] = UInt8(clamping: (sum + 1 << 23) >> 24)
                }
            }
        }
        return SmallPlanes.Plane(width: width, height: height, samples: result)
    }
}
