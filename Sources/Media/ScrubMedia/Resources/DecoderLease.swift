extension DecoderPool {
    /// The right to hold one open decoder, from a ``DecoderPool``.
    ///
    /// It counts in the pool until ``release()``, so release it after the decoder is closed and not before. Releasing
    /// the last reference releases it too.
    ///
    /// Thread safety: safe from any thread.
    public final class Lease: Sendable {
        private let pool: DecoderPool
        private let number: Int

        init(pool: DecoderPool, number: Int) { (self.pool, self.number) = (pool, number) }

        deinit { pool.release(number) }

        /// Gives it back; the next in line gets it. More calls do nothing.
        public func release() { pool.release(number) }

        /// Says that its decoder is open and has nothing to do. It may be closed for a waiting request, in the order in
        /// which leases became idle.
        ///
        /// Does nothing while it is being evicted already, and after ``release()``.
        ///
        /// - Parameter onEviction: told once if it is evicted, on any thread, never under a lock of the pool's, and
        ///   possibly before this returns. It is also told just after ``release()`` if both meet. It has the decoder
        ///   closed, where that may block, and then calls ``release()``; it must not block itself. Kept until it is
        ///   told, the lease becomes busy or is released: it must not hold its holder strongly.
        package func becomeIdle(onEviction: @escaping @Sendable () -> Void) {
            pool.becomeIdle(number, onEviction: onEviction)
        }

        /// Says that its decoder goes on.
        ///
        /// - Returns: false when it is being evicted or was released: close the decoder and ask for another lease.
        package func becomeBusy() -> Bool { pool.becomeBusy(number) }

        /// Makes a look-ahead (``DecoderPool/tryAcquire(evictingIdle:)``) a lease for the screen: it has turns as
        /// others have.
        package func becomeCurrent() { pool.becomeCurrent(number) }

        /// Counts pictures that came out in this turn.
        package func noteProgress(pictures: Int) { pool.noteProgress(number, pictures: pictures) }

        /// Whether a request waits for it and its turn is over. Ask between two pictures; after a true give it back or
        /// let it go idle, because no other holder is asked in its place.
        package var isWantedBack: Bool { pool.isWantedBack(number) }
    }
}
