/// A function of 8- or 16-bit codes, sampled at 257 or 4097 of them and interpolated between.
struct CodeTable: Sendable {
    private let values: [Float]
    private let shift: UInt32

    /// - Parameter function: a function of the signal, 0 to 1. It is also called for values slightly above 1.
    init(bitDepth: Int, _ function: (Double) -> Double) {
        shift = bitDepth == 8 ? 0 : 4
        let (step, maximum) = (Double(1 << shift), bitDepth == 8 ? 255.0 : 65535.0)
        values = (0...(bitDepth == 8 ? 256 : 4096)).map { Float(function(Double($0) * step / maximum)) }
    }

    var reader: Reader { @_lifetime(borrow self) borrowing get { Reader(values: values.span, shift: shift) } }

    /// Access to the table from a loop without reference counting.
    struct Reader: ~Escapable {
        fileprivate let values: Span<Float>
        fileprivate let shift: UInt32

        @_lifetime(copy values)
        fileprivate init(values: Span<Float>, shift: UInt32) {
            self.values = values
            self.shift = shift
        }

        /// - Precondition: the code is within the table's depth, which is not checked here.
        @inline(__always)
        subscript(code: UInt32) -> Float {
            let place = Int(code &>> shift)
            let rest = code &- UInt32(truncatingIfNeeded: place) &<< shift
            let low = unsafe values[unchecked: place]
            // At most a sixteenth; none at 8 bits.
            return unsafe low + (values[unchecked: place &+ 1] - low) * (Float(rest) * 0.0625)
        }
    }
}

/// A function of light from 0 to a maximum, sampled at 128 points in each of 24 octaves below it.
///
/// The points are those of a binary32's exponent and first seven bits, so that a lookup needs no root, no logarithm,
/// and no conversion to an integer.
struct LightTable: Sendable {
    private static let octaves = 24
    /// The number of bits of a significand between two points.
    fileprivate static let restBits: UInt32 = 16
    private static let placesPerOctave = 128
    /// The minimum light of the table, relative to the maximum; smaller values are clamped to it.
    fileprivate static let least = Float(sign: .plus, exponent: -octaves, significand: 1)

    private let values: [Float]
    private let scale: Float

    init(maximum: Double, _ function: (Double) -> Double) {
        scale = Float(1 / maximum)
        // One more, so that the maximum can be interpolated too.
        values = (0...Self.octaves * Self.placesPerOctave + 1).map { place in
            let bits = Self.least.bitPattern + UInt32(place) << Self.restBits
            return Float(function(Double(Swift.min(Float(bitPattern: bits), 1)) * maximum))
        }
    }

    var reader: Reader { @_lifetime(borrow self) borrowing get { Reader(values: values.span, scale: scale) } }

    /// Access to the table from a loop without reference counting.
    struct Reader: ~Escapable {
        fileprivate let values: Span<Float>
        fileprivate let scale: Float

        @_lifetime(copy values)
        fileprivate init(values: Span<Float>, scale: Float) {
            self.values = values
            self.scale = scale
        }

        /// Returns the interpolated value. Light outside the domain is clamped.
        @inline(__always)
        subscript(light: Float) -> Float {
            let (share, least) = (light * scale, LightTable.least)
            let bits = (share > least ? share < 1 ? share : 1 : least).bitPattern &- least.bitPattern
            let place = Int(bits &>> LightTable.restBits)
            let rest = Float(bits & (1 &<< LightTable.restBits &- 1)) * (1 / Float(1 << LightTable.restBits))
            let low = unsafe values[unchecked: place]
            return unsafe low + (values[unchecked: place &+ 1] - low) * rest
        }
    }
}
