extension Duration {
    /// The duration in whole nanoseconds, clamped to about 292 years.
    package var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
