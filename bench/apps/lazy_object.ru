# frozen_string_literal: true

# One big object that is created when it is first requested and then kept: an index, a table of rates, a parsed
# document. It does not exist at boot, so each worker creates its own, except workers that were forked from a worker
# that has it. BIG_MIB is its approximate size. It consists of many small objects. `/object/N` reads a thousand of them,
# after waiting `?wait=MS` milliseconds, which keeps every worker busy with little CPU. Any other path does not use it.
MIB = Integer(ENV.fetch("BIG_MIB", "256"))
RECORD_BYTES = 450 # resident memory of one record on Ruby 3.1 and 3.4
RECORDS = MIB * 1024 * 1024 / RECORD_BYTES
READ = 1000
SCATTER = 2_654_435_761

module Big
  def self.object
    @object ||= Array.new(RECORDS) { |i| [i, "the name of record number #{i}, " * 3, { price: i * 1.1, tags: [i] }] }
  end

  # Returns the same result for the same number in every process.
  def self.read(number) = Array.new(READ) { |i| object[(number + i) * SCATTER % RECORDS].first }.sum
end

run(lambda do |env|
  number = env["PATH_INFO"][/\A\/object\/(\d+)\z/, 1]
  sleep(env["QUERY_STRING"][/\d+/].to_i / 1000.0)
  body = number ? Big.read(number.to_i).to_s : "without the big object"
  [200, { "content-type" => "text/plain", "content-length" => body.bytesize.to_s }, [body]]
end)
