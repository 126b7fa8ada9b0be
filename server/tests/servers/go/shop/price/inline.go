package price

type meter struct{ cents int }

func (m *meter) setCents(cents int) { m.cents = cents }

// Record calls a method through an interface that it writes itself.
func Record(target any, cents int) {
	if setter, ok := target.(interface{ setCents(int) }); ok {
		setter.setCents(cents)
	}
}
