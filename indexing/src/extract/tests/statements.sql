SELECT id, email FROM users WHERE created_at > $1 ORDER BY id
select u.email, o.total as sum from shop.users u join orders as o on o.user_id = u.id
SELECT count(*) FROM "Users", orders
INSERT INTO users (email, name) VALUES (%s, :name)
UPDATE users SET email = ? WHERE id = ?
DELETE FROM orders WHERE total < 5
SELECT now()
