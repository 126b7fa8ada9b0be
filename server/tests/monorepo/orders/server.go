package orders

import (
	"database/sql"
	"net/http"
	"os"

	"github.com/segmentio/kafka-go"

	pb "example.com/shop/gen/cartspb"
)

// Server serves carts.
type Server struct {
	pb.UnimplementedCartsServer
	db *sql.DB
}

// Open connects to the database.
func Open() (*sql.DB, error) {
	return sql.Open("postgres", os.Getenv("DATABASE_URL"))
}

// FindEmail returns the address of a user.
func (s *Server) FindEmail(id int64) *sql.Row {
	return s.db.QueryRow(`SELECT email FROM users WHERE id = $1`, id)
}

// Announce writes the event of an order.
func Announce() *kafka.Writer {
	return &kafka.Writer{Topic: "orders.created"}
}

// ShowOrder answers with one order.
func ShowOrder(w http.ResponseWriter, r *http.Request) {}

// Routes registers the handlers.
func Routes() {
	http.HandleFunc("/orders/{id}", ShowOrder)
}
