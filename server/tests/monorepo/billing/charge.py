import os

from kafka import KafkaConsumer

from gen import carts_pb2_grpc


class Order(Base):
    __tablename__ = "orders"
    total = Column(Integer)


def listen():
    consumer = KafkaConsumer("orders.created")
    for event in consumer:
        charge(event)


def charge(event):
    connect(os.environ["DATABASE_URL"]).execute("UPDATE orders SET total = %s WHERE id = %s")


def carts(channel):
    return carts_pb2_grpc.CartsStub(channel)
