package shop

class Receipt(private val db: Database) {
    fun print(id: Long) = db.query("select total from orders where id = ?", id)
}
