import ScrubBase
import ScrubTestSupport
import Testing

@Suite struct RationalTests {
    @Test(
        arguments: [
            (2, 4, 1, 2), (-2, 4, -1, 2), (2, -4, -1, 2), (-2, -4, 1, 2), (0, 7, 0, 1), (0, -7, 0, 1),
            (30_000, 1001, 30_000, 1001),
            (Int64.max, Int64.max, 1, 1), (-Int64.max, Int64.max, -1, 1), (.max, 1, .max, 1), (1, .max, 1, .max),
            (.min, 2, -(1 << 62), 1), (2, .min, -1, 1 << 62), (.min, .min, 1, 1), (0, .min, 0, 1),
        ] as [(Int64, Int64, Int64, Int64)])
    func isInLowestTermsWithTheSignAbove(n: Int64, d: Int64, numerator: Int64, denominator: Int64) throws {
        let value = try #require(Rational(checked: n, d))
        #expect(value.numerator == numerator)
        #expect(value.denominator == denominator)
        #expect(value.description == "\(numerator)/\(denominator)")
    }

    @Test(arguments: [(1, 0), (0, 0), (.min, 1), (1, .min), (.min, -1), (.min, 3)] as [(Int64, Int64)])
    func refusesNumbersWithoutARatio(n: Int64, d: Int64) { #expect(Rational(checked: n, d) == nil) }

    @Test func aDenominatorOfZeroTraps() async {
        await #expect(processExitsWith: .failure) { _ = Rational(1, 0) }
    }

    @Test(arguments: 0..<5)
    func reductionKeepsTheValue(seed: Int) {
        var random = SplitMix(UInt64(seed))
        for _ in 0..<500 {
            let (n, d) = (random.ofAnySize(), random.ofAnySize())
            guard let value = Rational(checked: n, d) else {
                #expect(d == 0 || n == .min || d == .min)
                continue
            }
            #expect(Int128(value.numerator) * Int128(d) == Int128(n) * Int128(value.denominator))
            #expect(value.denominator > 0)
            #expect(greatestCommonDivisor(value.numerator, value.denominator) == 1)
            #expect(value == Rational(checked: value.numerator, value.denominator))
        }
    }

    private func greatestCommonDivisor(_ a: Int64, _ b: Int64) -> UInt64 {
        var (a, b) = (a.magnitude, b.magnitude)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }

    /// n/(n+1) grows with n; as binary floating point all of these are 1.
    @Test func comparisonIsExactNearTheLimits() {
        for n in (Int64.max - 50)..<(Int64.max - 1) {
            let (a, b) = (Rational(n, n + 1), Rational(n + 1, n + 2))
            #expect(a.doubleValue == b.doubleValue)
            #expect(a < b)
            #expect(!(b < a))
            #expect(a != b)
            #expect(Rational(-n, n + 1) > Rational(-(n + 1), n + 2))
            #expect(Rational(1, n + 1) < Rational(1, n))
        }
        #expect(Rational(-.max) < Rational(-.max, 2))
        #expect(Rational(.max, 2) < Rational(.max))
        #expect(!(Rational(1, 3) < Rational(2, 6)))
    }

    @Test(
        arguments: [
            (7, 2, 3), (-7, 2, -4), (-8, 2, -4), (8, 2, 4), (-1, 1000, -1), (0, 5, 0), (1, .max, 0), (-1, .max, -1),
            (.max, 1, .max), (-.max, 1, -.max),
        ] as [(Int64, Int64, Int64)])
    func floorsTowardsMinusInfinity(n: Int64, d: Int64, expected: Int64) {
        #expect(Rational.floor(Int128(n), Int128(d)) == Int128(expected))
        #expect(Rational(n, d).scaledDown(1) == Int128(expected))
    }

    @Test func floorIsTheGreatestIntegerBelow() {
        var random = SplitMix(7)
        for _ in 0..<5000 {
            let (a, f) = (
                Rational(random.ofAnySize() / 2, max(1, random.ofAnySize().magnitude.asPositive)), random.ofAnySize()
            )
            let result = a.scaledDown(f)
            let product = Int128(a.numerator) * Int128(f)
            #expect(result * Int128(a.denominator) <= product)
            #expect(product - result * Int128(a.denominator) < Int128(a.denominator))
        }
    }

    @Test func productsAndQuotientsAreExactOrNothing() {
        let big = Rational(.max)
        #expect(big.multiplied(by: big) == nil)
        #expect(big.multiplied(by: Rational(1, .max)) == .one)
        #expect(big.divided(by: big) == .one)
        #expect(big.divided(by: .zero) == nil)
        #expect(Rational.zero.divided(by: big) == .zero)
        #expect(Rational(3, 4).multiplied(by: Rational(-2, 3)) == Rational(-1, 2))
        #expect(Rational(3, 4).divided(by: Rational(-3, 2)) == Rational(-1, 2))
        #expect(Rational(1, .max).divided(by: Rational(2)) == nil)
    }

    @Test func multiplyingAndDividingAgain() {
        var random = SplitMix(11)
        for _ in 0..<2000 {
            let a = Rational(
                Int64.random(in: -1_000_000...1_000_000, using: &random), .random(in: 1...90_000, using: &random))
            let b = Rational(Int64.random(in: 1...1_000_000, using: &random), .random(in: 1...90_000, using: &random))
            #expect(a.multiplied(by: b)?.divided(by: b) == a)
            #expect(a.multiplied(by: b) == b.multiplied(by: a))
        }
    }
}

extension UInt64 {
    fileprivate var asPositive: Int64 { Int64(clamping: self) }
}
