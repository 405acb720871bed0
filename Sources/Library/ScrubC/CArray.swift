#if compiler(>=6.3)
/// C's arrays of four, which are tuples to Swift.
enum CArray {
    static func element<Element>(_ all: (Element, Element, Element, Element), _ place: Int) -> Element {
        switch place {
        case 0: all.0
        case 1: all.1
        case 2: all.2
        default: all.3
        }
    }

    static func set<Element>(_ all: inout (Element, Element, Element, Element), _ place: Int, _ value: Element) {
        switch place {
        case 0: all.0 = value
        case 1: all.1 = value
        case 2: all.2 = value
        default: all.3 = value
        }
    }
}
#endif
