/// The allocation of a limited number of bytes to members: the decisions of a ``ByteBudget``, without locks, memory or
/// calls.
///
/// There are three kinds of bytes:
/// - **Guaranteed** bytes belong to a member, whether or not it uses them (``MemoryGuarantee``).
/// - **Evictable** bytes are in use beyond that: cached pictures, buffers for reuse, and spare work (an additional
///   decoder). They are kept until others need them.
/// - **Lent** bytes are held by callers. They cannot be reclaimed, and outlive their member.
///
/// The rules:
/// 1. Bytes in use never exceed the limit. Before a request is refused, everything evictable is evicted: the member's
///    own pictures, then reusable buffers, then other members' pictures, starting with those that are not shown on a
///    screen.
/// 2. A member can join if the guarantees of all members fit within the limit.
/// 3. Lending preserves the guaranteed work of all members. A loan within the member's guarantee has no further
///    conditions.
/// 4. Any other loan preserves the loans that the other members are guaranteed and have not used. Each member can
///    therefore use its guarantee whatever callers hold, except for what they already held when the member joined or
///    hold from a member that has left.
/// 5. Pictures for a screen take priority over requested pictures, which take priority over pictures decoded ahead. A
///    loan of a lower priority leaves room for one picture per screen. If several members or screens are waiting for
///    pictures, a loan for a picture decoded ahead also leaves room for work that will return. Such a loan counts as
///    within the guarantee only while no former member's pictures are lent.
/// 6. Memory for spare work is granted if it leaves room for all guarantees and all loans. It is requested back when a
///    guarantee needs the room, and when it alone blocks a picture that a caller is waiting for. After that, it is not
///    granted again until no more is lent than is guaranteed; otherwise, it would be granted and requested back with
///    each picture.
///
/// Cost: each call scans the members, which are few.
package struct ByteBudgetAccounting: Sendable {
    /// The purpose of a loan: a screen, a waiting caller, or none yet.
    private enum Need { case shown, asked, ahead }

    /// Kinds of items that a member can evict for others.
    package enum Evictable: Sendable, Hashable {
        /// Buffers kept for reuse.
        case buffers
        case pictures
        /// Spare work. Its memory is returned on request and is never evicted for an allocation.
        case work
    }

    private struct Member {
        let guarantee: MemoryGuarantee
        /// Whether the member's pictures are shown on a screen.
        let isShown: Bool
        var lent = 0
        var spareWork = 0
        var isSpareWorkWanted = false
        /// Whether the member must be notified when bytes are returned.
        var isWaiting = false

        /// The unused part of the member's guaranteed loans.
        var unlent: Int { max(0, guarantee.loans - lent) }
    }

    /// The maximum number of bytes. Sums of a few such values fit in an integer.
    package let limit: Int
    private var members: [Int: Member] = [:]
    /// The size in bytes of one picture of each screen.
    private var screens: [Int: Int] = [:]
    private var lastNumber = 0
    /// The number of bytes in use.
    package private(set) var used = 0
    /// The peak number of bytes in use.
    package private(set) var peak = 0
    /// The bytes lent by members that have left.
    private var lentByFormer = 0
    /// The maximum guaranteed work in the time since several members began waiting for pictures. A decoder that was
    /// closed for another one will return.
    private var mostWork = 0
    /// The bytes that would have been lent if spare work had not been in the way.
    private var lentWithoutSpareWork = 0

    package init(limit: Int) { self.limit = min(limit, .max >> 3) }

    // MARK: Sums

    package var memberCount: Int { members.count }
    /// The bytes held by callers.
    package var lent: Int { sum(\.lent) + lentByFormer }
    /// Returns the bytes that a member has lent.
    package func lent(by member: Int) -> Int { members[member]?.lent ?? 0 }

    private func sum(_ count: (Member) -> Int) -> Int { members.values.reduce(0) { $0 + count($1) } }

    private var guaranteedWork: Int { sum(\.guarantee.work) }
    private var spareWork: Int { sum(\.spareWork) }
    /// The bytes of one picture per screen, at most the limit.
    private var screenBytes: Int { screens.values.reduce(0) { min(limit, $0 + $1) } }
    private var isShared: Bool { screens.count + members.values.count { !$0.isShown } > 1 }

    // MARK: Members and screens

    /// Adds a member.
    ///
    /// - Returns: the member's number, and the members to notify that their spare work is requested back; `nil` if the
    ///   guarantees do not all fit.
    package mutating func join(_ guarantee: MemoryGuarantee, isShown: Bool) -> (member: Int, told: [Int])? {
        guard guarantee.byteCount <= limit - sum(\.guarantee.byteCount) else { return nil }
        let member = add(Member(guarantee: guarantee, isShown: isShown))
        guard guaranteedWork + spareWork > limit - lent - sum(\.unlent) else { return (member, []) }
        // Includes those already notified, because the new member waits until their bytes are returned.
        _ = wantSpareWork()
        return (member, members.filter { $0.value.spareWork > 0 }.map(\.key))
    }

    /// Adds a member without a guarantee.
    package mutating func joinWithoutGuarantee() -> Int { add(Member(guarantee: .none, isShown: true)) }

    private mutating func add(_ member: Member) -> Int {
        lastNumber += 1
        members[lastNumber] = member
        noteWork()
        return lastNumber
    }

    /// Removes a member. Its loans stay lent.
    package mutating func leave(_ member: Int) {
        lentByFormer += members.removeValue(forKey: member)?.lent ?? 0
        noteWork()
    }

    package func hasMember(_ member: Int) -> Bool { members[member] != nil }

    /// Adds a screen, which shows one picture after another and waits for one at a time.
    ///
    /// - Parameter picture: the size of one of its pictures in bytes.
    package mutating func addScreen(picture: Int) -> Int {
        lastNumber += 1
        screens[lastNumber] = max(0, min(picture, limit))
        noteWork()
        return lastNumber
    }

    /// Sets the size in bytes of a screen's picture, when the screen shows something else.
    package mutating func setScreen(_ screen: Int, picture: Int) {
        if screens[screen] != nil { screens[screen] = max(0, min(picture, limit)) }
    }

    package mutating func removeScreen(_ screen: Int) {
        screens[screen] = nil
        noteWork()
    }

    private mutating func noteWork() { mostWork = isShared ? max(mostWork, guaranteedWork) : guaranteedWork }

    // MARK: Bytes in use

    /// Reserves bytes if there is room now.
    ///
    /// - Parameter waiter: a member to notify when bytes are returned, if there is no room.
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

    /// Returns what could be evicted for a member, in order.
    package func evictionOrder(for member: Int?) -> [(member: Int, kind: Evictable)] {
        let others = members.filter { $0.key != member }
            .sorted { ($0.value.isShown ? 1 : 0, $0.key) < ($1.value.isShown ? 1 : 0, $1.key) }.map(\.key)
        let own = member.map { [($0, Evictable.pictures)] } ?? []
        return own + others.map { ($0, .buffers) } + others.map { ($0, .pictures) }
    }

    /// Removes and returns the members that are waiting for bytes, so that each is notified once.
    ///
    /// - Parameter giver: the member that returns bytes. It does not wait for them.
    package mutating func takeWaiting(except giver: Int? = nil) -> [Int] {
        let waiting = members.filter { $0.value.isWaiting && $0.key != giver }.map(\.key)
        for member in waiting { members[member]?.isWaiting = false }
        return waiting
    }

    // MARK: Loans

    /// Lends bytes that are already in use.
    ///
    /// - Returns: the members to notify that their spare work is requested back. If the loan is refused, its member
    ///   waits.
    package mutating func lend(_ count: Int, by member: Int, isAhead: Bool) -> (isLent: Bool, told: [Int]) {
        let need: Need = isAhead ? .ahead : members[member]?.isShown == false ? .asked : .shown
        let room = room(for: member, count, need)
        if count <= room {
            // Pictures that a member made before it left may still be handed out.
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

    /// Takes lent bytes back.
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

    /// Reserves bytes for a member's spare work (rule 6). If they are refused, the member waits.
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

    /// Returns whether a member must return its spare work.
    package func isSpareWorkWanted(of member: Int) -> Bool { members[member]?.isSpareWorkWanted ?? false }

    package mutating func giveSpareWork(_ count: Int, of member: Int) {
        members[member]?.spareWork -= count
        if members[member]?.spareWork == 0 { members[member]?.isSpareWorkWanted = false }
    }

    /// Requests spare work back.
    ///
    /// - Returns: the members not yet notified.
    private mutating func wantSpareWork() -> [Int] {
        let told = members.filter { $0.value.spareWork > 0 && !$0.value.isSpareWorkWanted }.map(\.key)
        for member in told { members[member]?.isSpareWorkWanted = true }
        return told
    }
}
