extension Duration {
    /// Nanoseconds without the rest, as far as they fit: 292 years.
    package var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
