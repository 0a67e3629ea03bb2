# frozen_string_literal: true

# One big object that is made when it is first asked for and then kept for good: an index, a table of rates, a parsed
# document. It is not there when the server boots, so that each worker makes one of its own, but for those that were
# forked from a worker that has it. BIG_MIB is its size, about; it consists of many small objects, as such things do.
# `/object/N` reads a thousand of them, after waiting `?wait=MS` milliseconds, which keeps every worker busy with little
# CPU; any other path does without it.
MIB = Integer(ENV.fetch("BIG_MIB", "256"))
RECORD_BYTES = 450 # what one adds to the resident memory of Ruby 3.1 and 3.4
RECORDS = MIB * 1024 * 1024 / RECORD_BYTES
READ = 1000
SCATTER = 2_654_435_761

module Big
  def self.object
    @object ||= Array.new(RECORDS) { |i| [i, "the name of record number #{i}, " * 3, { price: i * 1.1, tags: [i] }] }
  end

  # The same for the same number, in every process.
  def self.read(number) = Array.new(READ) { |i| object[(number + i) * SCATTER % RECORDS].first }.sum
end

run(lambda do |env|
  number = env["PATH_INFO"][/\A\/object\/(\d+)\z/, 1]
  sleep(env["QUERY_STRING"][/\d+/].to_i / 1000.0)
  body = number ? Big.read(number.to_i).to_s : "nothing big"
  [200, { "content-type" => "text/plain", "content-length" => body.bytesize.to_s }, [body]]
end)
