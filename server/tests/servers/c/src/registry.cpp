#include "registry.hpp"

namespace shop {

void Counter::added(int item) {
    total_ += doubled(item);
}

Registry::Registry(Listener &listener) : listener_(listener) {}

bool Registry::add(int item) {
    if (!stack_push(&items_, item)) {
        return false;
    }
    announce(item);
    return true;
}

bool Registry::add(int item, int times) {
    bool all = true;
    for (int i = 0; i < times; i++) {
        all = add(item) && all;
    }
    return all;
}

void Registry::announce(int item) {
    listener_.added(item);
}

}  // namespace shop
