/// A binary heap of small numbers with keys that may change, the least key first. Changing or removing any number
/// takes logarithmic time.
struct IndexedHeap<Key: Comparable> {
    private var nodes: [(key: Key, number: Int)] = []
    private var places: [Int?] = []

    var isEmpty: Bool { nodes.isEmpty }
    var count: Int { nodes.count }
    var least: (key: Key, number: Int)? { nodes.first }

    mutating func set(_ number: Int, _ key: Key) {
        while places.count <= number { places.append(nil) }
        let place = places[number] ?? nodes.count
        if place == nodes.count { nodes.append((key, number)) } else { nodes[place].key = key }
        places[number] = place
        siftUp(place)
        siftDown(places[number] ?? place)
    }

    mutating func remove(_ number: Int) {
        guard places.indices.contains(number), let place = places[number] else { return }
        swap(place, nodes.count - 1)
        nodes.removeLast()
        places[number] = nil
        if place < nodes.count {
            let moved = nodes[place].number
            siftUp(place)
            siftDown(places[moved] ?? place)
        }
        if nodes.isEmpty, places.count > 1024 { (nodes, places) = ([], []) }
    }

    private mutating func swap(_ one: Int, _ other: Int) {
        nodes.swapAt(one, other)
        places[nodes[one].number] = one
        places[nodes[other].number] = other
    }

    private mutating func siftUp(_ start: Int) {
        var place = start
        while place > 0, nodes[place].key < nodes[(place - 1) / 2].key {
            swap(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func siftDown(_ start: Int) {
        var place = start
        while true {
            var smaller = 2 * place + 1
            guard smaller < nodes.count else { return }
            if smaller + 1 < nodes.count, nodes[smaller + 1].key < nodes[smaller].key { smaller += 1 }
            guard nodes[smaller].key < nodes[place].key else { return }
            swap(smaller, place)
            place = smaller
        }
    }
}
