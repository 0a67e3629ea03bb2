# frozen_string_literal: true

require "json"
require_relative "process_descriptors"
require_relative "server"

# What was seen of a server over many generations, from its first worker to its last at_exit handler. The application
# is fork_record.ru.
class ForkRecord
  APP = File.read(File.expand_path("fork_record.ru", __dir__))
  CONFIG = <<~RUBY
    worker_processes 2
    after_mold_fork { |_server, mold| ForkLog.begin_life(:mold, mold.generation) }
    after_worker_fork { |_server, worker| ForkLog.begin_life(:worker, worker.generation) }
  RUBY
  SOFT_TIMEOUT = "coppice timeout" # the thread that a worker starts last of all

  # What one process holds: kinds of descriptors and names of threads, each with its count.
  Holdings = Struct.new(:role, :descriptors, :threads)

  attr_reader :holdings #: Array[Array[Holdings]] -- of mold and workers, for each generation
  attr_reader :monitor  #: Array[Integer] -- the monitor's descriptors, for each generation
  attr_reader :lives    #: Array[Hash[Symbol, untyped]] -- what each process found when its life began
  attr_reader :exits    #: Array[Integer] -- pids, for each time that the at_exit handlers ran

  #: (generations: Integer, ?config: String) -> ForkRecord
  def self.over(generations:, config: "")
    Server.open(app: APP, config: "#{CONFIG}\n#{config}") do |server|
      new(server).tap { |record| record.fill(generations) }
    end
  end

  #: (Server) -> void
  def initialize(server)
    @server = server
    @holdings = []
    @monitor = []
  end

  #: (Integer) -> void
  def fill(generations)
    generations.times do |generation|
      @server.signal(:USR2)
      @server.wait(60) { @server.settled?(generation + 1) }
      take_down
    end
    @server.stop
    @lives = read("lives")
    @exits = read("exits").map { |fact| fact[:pid] }
  end

  private

  def take_down
    family = @server.rows(:mold) + @server.wait { started_workers }
    @holdings << family.map do |row|
      at_rest(row.pid) { |pid| Holdings.new(row.role_name, descriptors(pid), threads(pid)) }
    end
    @monitor << at_rest(@server.pid) { |pid| descriptors(pid).values.sum }
  end

  # nil until all of them are.
  def started_workers
    workers = @server.ready_workers
    workers if workers.all? { |row| threads(row.pid).key?(SOFT_TIMEOUT) }
  rescue Errno::ENOENT, Errno::ESRCH # a thread has ended
    nil
  end

  def at_rest(pid) = @server.wait { ProcessDescriptors.at_rest(pid) { yield pid } }

  def descriptors(pid) = ProcessDescriptors.links(pid).map { |link| link[/\A[^\[\d]*/] }.tally

  def threads(pid) = Dir.glob("/proc/#{pid}/task/*/comm").map { |file| File.read(file).chomp }.tally

  def read(name) = File.readlines(@server.path(name)).map { |line| JSON.parse(line, symbolize_names: true) }
end
