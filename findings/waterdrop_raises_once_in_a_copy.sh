#!/bin/sh
# WaterDrop 2.10.8: a used producer refuses one message in a forked copy, and delivers the next.
#
# The guess: a producer that has produced is of no use in a copy of its process. Each message raises
# ProducerUsedInParentProcess there ("Always", says a comment in the source), until the copy makes a new producer.
#
# What happens: only the copy's first message raises, and is lost unless the caller tries again. The object has then
# forgotten its parent's client; it makes a client of its own for the second message. Until then its status is
# "connected". So a copy loses one message, and an application that retries never sees a failure. After `disconnect`
# before the fork, which also waits for sent messages, both processes produce with the same object and none is lost.
# The cause is in WaterDrop::Producer#client (lib/waterdrop/producer.rb): it forgets the client before it raises.
#
# Seen on 2026-11-29 with Ruby 3.4.5 and karafka-rdkafka 0.31.0 on x86_64 Linux, three messages in each copy:
#   a copy of the used producer          ProducerUsedInParentProcess, then two messages delivered
#   a copy of the disconnected producer  three messages delivered
#
# It needs Ruby 3.4. The broker is the one that librdkafka has for tests.
set -eu
ruby=${RUBY:-ruby}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

export GEM_HOME="$folder/gems" GEM_PATH="$folder/gems"
"$ruby" -S gem install --silent --no-document --install-dir "$GEM_HOME" \
  karafka-rdkafka:0.31.0 karafka-core:2.6.6 waterdrop:2.10.8

timeout 60 "$ruby" - <<'RUBY'
gem "karafka-rdkafka", "0.31.0"
gem "waterdrop", "2.10.8"
require "waterdrop"

PRODUCER = WaterDrop::Producer.new do |config|
  config.kafka = { "bootstrap.servers": "127.0.0.1:9", "test.mock.num.brokers": 1, "message.timeout.ms": 10_000 }
  config.logger = Logger.new(File::NULL)
end

# What becomes of a message.
def produce
  report = PRODUCER.produce_sync(topic: "test", payload: "message")
  report.error ? report.error.class : "delivered"
rescue StandardError => error
  error.class.name.split("::").last
end

# What becomes of three messages in a copy of this process.
def copy
  reader, writer = IO.pipe
  pid = fork do
    writer.write(Array.new(3) { produce }.join(", "))
    exit! # without finalizers
  end
  writer.close
  Process.wait(pid)
  reader.read
end

puts "the first process: #{produce}"
used = copy
puts "a copy of the used producer: #{used}"
puts "disconnect: #{PRODUCER.disconnect}"
disconnected = copy
puts "a copy of the disconnected producer: #{disconnected}"
puts "the first process again: #{again = produce}"
$stdout.flush

kept = used == "ProducerUsedInParentProcess, delivered, delivered" && again == "delivered" &&
       disconnected == "delivered, delivered, delivered"
warn "changed: a used producer is refused, or accepted, for all messages of a copy" unless kept
exit!(kept ? 0 : 1)
RUBY
