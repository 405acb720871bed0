/// Who may have how many of a limited number of bytes: the decisions of a ``ByteBudget``, without locks, memory or
/// calls.
///
/// Bytes are of three kinds:
/// - **Guaranteed** bytes belong to a member, whether it uses them or not (``MemoryGuarantee``).
/// - **Evictable** bytes are in use beyond that: kept pictures, buffers for reuse, and spare work (a further decoder).
///   They last until others need them.
/// - **Lent** bytes are in the hands of callers. They cannot be had back, and outlive their member.
///
/// Its rules:
/// 1. Bytes in use are never more than the limit. Whatever is evictable goes before a request is refused: the member's
///    own pictures, then buffers for reuse, then the pictures of others, those that no screen shows first.
/// 2. A member joins if the guarantees of all fit into the limit.
/// 3. Lending leaves the guaranteed work of all members. A loan within the member's guarantee needs no more than that.
/// 4. Any other loan leaves what the other members are guaranteed and have not lent. So each can have its guarantee,
///    whatever callers hold, unless they held it before it joined, or have it of a member that has left.
/// 5. Pictures for a screen go before those that are asked for, and those before pictures ahead of their time. A loan
///    of a later kind leaves one picture for each screen. If several members or screens wait for pictures, one ahead of
///    its time leaves the work that comes again, too. It is within the guarantee only while no former member's pictures
///    are lent.
/// 6. Spare work is allowed where it leaves all guarantees and all loans. It is wanted back when a guarantee needs the
///    room, and when it alone is in the way of a picture that something waits for. After that it stays away until no
///    more is lent than is guaranteed: else it would come and go with each picture.
///
/// Cost: each call looks at the members, of which there are few.
package struct MemoryLedger: Sendable {
    /// What a loan is for: a screen, a caller that waits, or nothing yet.
    private enum Need { case shown, asked, ahead }

    /// What a member can free for others.
    package enum Evictable: Sendable, Hashable {
        /// Buffers that are kept for reuse.
        case buffers
        case pictures
        /// Spare work. It goes when it is wanted, and never to make room for an allocation.
        case work
    }

    private struct Member {
        let guarantee: MemoryGuarantee
        /// Whether its pictures go on a screen.
        let isShown: Bool
        var lent = 0
        var spareWork = 0
        var isSpareWorkWanted = false
        /// Whether it is to be told that bytes came back.
        var isWaiting = false

        /// The guaranteed loans that it does not use.
        var unlent: Int { max(0, guarantee.loans - lent) }
    }

    /// The most bytes. Sums of a few of them stay within an integer.
    package let limit: Int
    private var members: [Int: Member] = [:]
    /// The bytes of one picture of each screen.
    private var screens: [Int: Int] = [:]
    private var lastNumber = 0
    /// Bytes that are in use.
    package private(set) var used = 0
    /// The most bytes that ever were in use.
    package private(set) var peak = 0
    /// Bytes that members lent that have left.
    private var lentByFormer = 0
    /// The most guaranteed work since several wait for pictures. A decoder that is closed for another comes again.
    private var mostWork = 0
    /// The lent bytes that there would have been if spare work had not been in the way.
    private var lentWithoutSpareWork = 0

    package init(limit: Int) { self.limit = min(limit, .max >> 3) }

    // MARK: Sums

    package var memberCount: Int { members.count }
    /// Bytes in the hands of callers.
    package var lent: Int { sum(\.lent) + lentByFormer }
    /// Returns the bytes that a member has lent.
    package func lent(by member: Int) -> Int { members[member]?.lent ?? 0 }

    private func sum(_ count: (Member) -> Int) -> Int { members.values.reduce(0) { $0 + count($1) } }

    private var guaranteedWork: Int { sum(\.guarantee.work) }
    private var spareWork: Int { sum(\.spareWork) }
    /// One picture of each screen, at most the limit.
    private var screenBytes: Int { screens.values.reduce(0) { min(limit, $0 + $1) } }
    private var isShared: Bool { screens.count + members.values.count { !$0.isShown } > 1 }

    // MARK: Members and screens

    /// Adds a member.
    ///
    /// - Returns: its number, and the members to tell that their spare work is wanted; `nil` if the guarantees of all
    ///   would not fit.
    package mutating func join(_ guarantee: MemoryGuarantee, isShown: Bool) -> (member: Int, told: [Int])? {
        guard guarantee.byteCount <= limit - sum(\.guarantee.byteCount) else { return nil }
        let member = add(Member(guarantee: guarantee, isShown: isShown))
        guard guaranteedWork + spareWork > limit - lent - sum(\.unlent) else { return (member, []) }
        // Also those that were told before: the new member waits until their bytes are back.
        _ = wantSpareWork()
        return (member, members.filter { $0.value.spareWork > 0 }.map(\.key))
    }

    /// Adds a member that is guaranteed nothing.
    package mutating func joinWithoutGuarantee() -> Int { add(Member(guarantee: .none, isShown: true)) }

    private mutating func add(_ member: Member) -> Int {
        lastNumber += 1
        members[lastNumber] = member
        noteWork()
        return lastNumber
    }

    /// Takes a member out. What it lent stays lent.
    package mutating func leave(_ member: Int) {
        lentByFormer += members.removeValue(forKey: member)?.lent ?? 0
        noteWork()
    }

    package func hasMember(_ member: Int) -> Bool { members[member] != nil }

    /// Adds a screen: it shows one picture after the other, and waits for one at a time.
    ///
    /// - Parameter picture: the bytes of one of its pictures.
    package mutating func addScreen(picture: Int) -> Int {
        lastNumber += 1
        screens[lastNumber] = max(0, min(picture, limit))
        noteWork()
        return lastNumber
    }

    /// Sets the bytes of one picture of a screen, where it shows something else now.
    package mutating func setScreen(_ screen: Int, picture: Int) {
        if screens[screen] != nil { screens[screen] = max(0, min(picture, limit)) }
    }

    package mutating func removeScreen(_ screen: Int) {
        screens[screen] = nil
        noteWork()
    }

    private mutating func noteWork() { mostWork = isShared ? max(mostWork, guaranteedWork) : guaranteedWork }

    // MARK: Bytes in use

    /// Takes bytes if there is room now.
    ///
    /// - Parameter waiter: a member to tell when bytes come back, if there is none.
    package mutating func take(_ count: Int, waiter: Int?) -> Bool {
        guard count <= limit - used else {
            if let waiter { members[waiter]?.isWaiting = true }
            return false
        }
        used += count
        peak = max(peak, used)
        return true
    }

    package mutating func release(_ count: Int) { used -= count }

    /// Returns what could be freed for a member, the first first.
    package func evictionOrder(for member: Int?) -> [(member: Int, kind: Evictable)] {
        let others = members.filter { $0.key != member }
            .sorted { ($0.value.isShown ? 1 : 0, $0.key) < ($1.value.isShown ? 1 : 0, $1.key) }.map(\.key)
        let own = member.map { [($0, Evictable.pictures)] } ?? []
        return own + others.map { ($0, .buffers) } + others.map { ($0, .pictures) }
    }

    /// Returns the members that wait for bytes; each is told once.
    ///
    /// - Parameter giver: the member that gives bytes back. It does not wait for them.
    package mutating func takeWaiting(except giver: Int? = nil) -> [Int] {
        let waiting = members.filter { $0.value.isWaiting && $0.key != giver }.map(\.key)
        for member in waiting { members[member]?.isWaiting = false }
        return waiting
    }

    // MARK: Loans

    /// Lends bytes that are in use already.
    ///
    /// - Returns: the members to tell that their spare work is wanted. If the loan is refused, its member waits.
    package mutating func lend(_ count: Int, by member: Int, isAhead: Bool) -> (isLent: Bool, told: [Int]) {
        let need: Need = isAhead ? .ahead : members[member]?.isShown == false ? .asked : .shown
        let room = room(for: member, count, need)
        if count <= room {
            // What a member made before it left may still be handed out.
            if members[member] == nil { lentByFormer += count }
            members[member]?.lent += count
            return (true, [])
        }
        members[member]?.isWaiting = true
        let spare = spareWork
        guard need != .ahead, spare > 0, count <= room + spare else { return (false, []) }
        lentWithoutSpareWork = max(lentWithoutSpareWork, lent + count)
        return (false, wantSpareWork())
    }

    /// Takes back lent bytes.
    package mutating func takeBack(_ count: Int, by member: Int) {
        if members[member] == nil { lentByFormer -= count }
        members[member]?.lent -= count
    }

    /// Returns the bytes that a member may lend (rules 3 to 5).
    private func room(for member: Int, _ count: Int, _ need: Need) -> Int {
        let room = limit - guaranteedWork - spareWork - lent
        let own = members[member]
        let isGuaranteed = own.map { count <= $0.unlent } ?? false
        if isGuaranteed, need != .ahead || lentByFormer == 0 { return room }
        let others = members.filter { $0.key != member }.values
        let left = room - others.reduce(0) { $0 + $1.unlent }
        guard need == .asked || need == .ahead && isShared else { return left }
        let forScreens = max(0, screenBytes - others.reduce(0) { $0 + ($1.isShown ? $1.unlent : 0) })
        guard need == .ahead else { return left - forScreens }
        return left - forScreens - max(0, mostWork - guaranteedWork - spareWork)
    }

    // MARK: Spare work

    /// Sets bytes aside for a member's spare work (rule 6). If they are refused, it waits.
    package mutating func takeSpareWork(_ count: Int, of member: Int) -> Bool {
        guard members[member]?.isSpareWorkWanted == false else { return false }
        if lent <= sum(\.guarantee.loans) { lentWithoutSpareWork = 0 }
        guard count <= limit - guaranteedWork - spareWork - max(lent + sum(\.unlent), lentWithoutSpareWork) else {
            members[member]?.isWaiting = true
            return false
        }
        members[member]?.spareWork += count
        return true
    }

    /// Whether a member has to give its spare work back.
    package func isSpareWorkWanted(of member: Int) -> Bool { members[member]?.isSpareWorkWanted ?? false }

    package mutating func giveSpareWork(_ count: Int, of member: Int) {
        members[member]?.spareWork -= count
        if members[member]?.spareWork == 0 { members[member]?.isSpareWorkWanted = false }
    }

    /// - Returns: the members that were not told before.
    private mutating func wantSpareWork() -> [Int] {
        let told = members.filter { $0.value.spareWork > 0 && !$0.value.isSpareWorkWanted }.map(\.key)
        for member in told { members[member]?.isSpareWorkWanted = true }
        return told
    }
}
