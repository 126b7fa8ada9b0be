#include "registry.hpp"

using shop::Registry;

static auto make_adder(Registry &registry) {
    return [&registry](int item) { return registry.add(item); };
}

int main() {
    shop::Counter counter;
    Registry registry(counter);
    auto add = make_adder(registry);
    add(3);
    registry.add(4, 2);
    return counter.total() == shop::doubled(11) ? 0 : 1;
}
