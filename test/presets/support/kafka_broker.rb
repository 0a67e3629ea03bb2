# frozen_string_literal: true

# A broker of Kafka, for tests: the one that librdkafka has for its own. Says its address, then the payload of each
# message of the topic "test" as it comes, a line each, until its input is closed.

require ENV.fetch("KAFKA_LIBRARY") # one that has Rdkafka

SILENT = { log_level: 0 }.freeze
WAIT = 100 # milliseconds for a message to come

broker = Rdkafka::Config.new(SILENT.merge("test.mock.num.brokers": 1)).admin
address = broker.metadata("test").brokers.first.then { |row| "#{row[:broker_name]}:#{row[:broker_port]}" }
consumer = Rdkafka::Config.new(SILENT.merge("bootstrap.servers": address, "group.id": "test",
  "auto.offset.reset": "earliest")).consumer
consumer.subscribe("test")
$stdout.sync = true
puts address
until $stdin.wait_readable(0)
  message = consumer.poll(WAIT)
  puts message.payload if message
end
exit! # to close would be to wait: for a broker that has been closed
