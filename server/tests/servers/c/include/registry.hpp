#pragma once

#include "stack.h"

namespace shop {

class Listener {
public:
    virtual ~Listener() = default;
    virtual void added(int item) = 0;
};

class Counter : public Listener {
public:
    void added(int item) override;
    int total() const { return total_; }

private:
    int total_ = 0;
};

class Registry {
public:
    explicit Registry(Listener &listener);
    bool add(int item);
    bool add(int item, int times);

private:
    void announce(int item);

    stack items_{};
    Listener &listener_;
};

template <typename T>
T doubled(T value) {
    return value + value;
}

}  // namespace shop
