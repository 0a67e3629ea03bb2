# frozen_string_literal: true

require "test_helper"
require_relative "support/source_files"

module Coppice
  # Holds the shape of the house, as docs/architecture.md draws it: who may know whom, and how large a room may be.
  class ArchitectureTest < TestCase
    # What every process is made of. It knows nothing of processes, and of what is above only its like.
    FOUNDATION = %w[errors version version_order executable start_variables bare_ruby coppice_ext roles terminal os
                    board control log].freeze

    # What every process is given. It may know the foundation.
    SHARED = %w[coppice config listeners fork_safety presets memory mem_info gc_profile allocator bundler_home
                mold_environment info learned_paths state child/inheritance child/membership child/thread_report
                hook_context compatibility stats].freeze

    # The rest belongs to one process or starts it: each part with the other such parts that it may know.
    # Parts are files or folders of lib/coppice; the longest name that fits is a file's part.
    ARROWS = {
      "http" => [],
      "child/shared_finalizers" => [], # which finalizers are not for the process that exits
      "child/quick_exit" => %w[child/shared_finalizers], # how workers and molds end
      "child/forking" => %w[child/quick_exit], # how molds and workers fork
      "child/heap_preparation" => [], # how a heap becomes one that is shared
      "child/life" => %w[child/quick_exit], # what molds, workers and the service worker have in common
      "worker" => %w[child/forking child/heap_preparation child/life http],
      "mold" => %w[child/forking child/heap_preparation child/life],
      "service" => %w[child/life threaded_server],
      "guest" => %w[child/life], # a program of a user's, in a fork of the mold
      "guest/supervision" => %w[monitor/steps monitor/door], # the monitor's side of it
      "guest_client" => [], # coppice run: what its user is connected with
      "child" => %w[guest mold service worker], # the only one that knows them all
      "mold/cold_boot" => %w[child child/quick_exit mold], # where a cold mold's process begins
      "threaded_server" => %w[http], # one process with threads, for any application
      "observer" => %w[dashboard threaded_server], # shows the server to its administrators
      "standalone" => %w[child/heap_preparation mold], # an application without a monitor that serves nobody, for tools
      "single" => %w[mold threaded_server], # worker_processes 0: no monitor, no fork
      "release" => [], # the application in one directory, and the process that checks it
      # A file for each thing one asks for. What `serve` needs before the first mold is spawned, it names part by part.
      "cli" => %w[guest_client monitor monitor/act monitor/door monitor/kernel monitor/rolls monitor/workers release
                  single tools/import],
      "launcher" => %w[cli mold/cold_boot], # the first thing that runs in every process started by exec
      "rackup" => %w[single], # rackup and rails server: serves the application that they have loaded
      "coppice" => %w[dashboard rails], # what an application mounts; in a bundle of Rails: its railtie
      "rails" => %w[rackup],

      # The second floor: what looks at a server from outside, or runs without one. The server knows nothing of it but
      # these doors, which an application requires by their names.
      "dashboard" => %w[tools/dashboard],
      "minitest" => %w[tools/test_reforks],
      "rspec" => %w[tools/test_reforks],
      "capybara" => %w[tools/capybara],
      "tools/cli" => %w[cli standalone tools/cold tools/doctor tools/import tools/memory tools/top], # their commands
      "tools/memory" => [], # coppice memory: the mappings of each process
      "tools/cold" => %w[http tools/memory], # coppice cold: the application in a process without a monitor
      "tools/doctor" => %w[child child/quick_exit http mold standalone tools/cold], # as the monitor of a chain
      "tools/dashboard" => %w[tools/memory], # in the observer, which loads no application, or mounted in one
      "tools/top" => [], # coppice top: reads the board from outside
      "tools/import" => [], # coppice import: translates configurations for other servers
      "tools/test_reforks" => %w[standalone], # the application's own tests, through reforks
      "tools/capybara" => %w[threaded_server] # in the process of an application's tests
    }.freeze

    # Parts of the monitor, which spawns a cold mold by exec: the code of molds and workers would only cost it memory.
    # Each room knows those that are named. On top supervision learns, decides and acts, in turns, by what all of them
    # have.
    ROOMS = {
      "steps" => [], # what a decision returns
      "kernel" => [], # the ways out of the process; pauses
      "state" => %w[kernel], # the children and what is known of them
      "workers" => %w[kernel steps], # how many there are to be, and which are replaced
      "molds" => %w[kernel steps workers], # when there is a refork, and how a mold is tried
      "rolls" => %w[kernel steps workers], # other releases of the application
      "decide" => %w[kernel steps], # what else is decided
      "lobby" => %w[kernel state steps],
      "observer" => %w[kernel steps],
      "learn" => %w[kernel lobby state], # what children report, and how they exit
      "act" => %w[kernel lobby observer rolls state steps], # carries out steps
      "door" => %w[rolls], # the control socket, and what the service manager is told
      "records" => %w[kernel molds]
    }.to_h { |room, known| ["monitor/#{room}", known.map { |name| "monitor/#{name}" }] }.freeze
    MONITOR = {
      **ROOMS, "monitor" => [*ROOMS.keys, "release"], "monitor/rolls" => [*ROOMS.fetch("monitor/rolls"), "release"]
    }.freeze
    ROOM_FILES = 15
    ACTS = %r{/monitor/(?:act|kernel|lobby|observer)/}.freeze

    # Where a reader looks for the kind, and not for the one: each of these files holds small classes of one kind. And a
    # name of another server's.
    KINDS = %r{\Alib/coppice/(errors|config/types/\w+|compatibility/mem_info)\.rb\z}.freeze
    DEFINITION = /^( *)(?:(?:class|module) ([A-Z]\w*)|([A-Z]\w*) = (?:Struct|Class)\.new)/.freeze

    PARTS = [*FOUNDATION, *SHARED, *ARROWS.keys, *MONITOR.keys].sort_by { |part| -part.size }.freeze
    LINES = 300

    test "every file has its place" do
      assert_empty(library.keys.reject { |path| part_of(feature(path)) })
    end

    test "who may require whom goes one way" do
      wrong = library.flat_map do |path, text|
        part = part_of(feature(path))
        forbidden = SourceFiles.required_by(text).reject { |wanted| may_know?(part, part_of(wanted)) }
        forbidden.map { |wanted| "#{path} requires #{wanted}" }
      end

      assert_empty wrong
    end

    test "only the rooms that act signal children and send them messages" do
      others = library.select { |path, _| path.match?(%r{\Alib/coppice/monitor}) && !path.match?(ACTS) }

      assert_empty(others.select { |_, text| text.match?(/channel\)?\.send\(|system\.(?:signal|spawn\w*)\(/) }.keys)
    end

    test "no room of the monitor has more files than one remembers" do
      sizes = Dir.glob("lib/coppice/monitor/*/").to_h { |room| [room, Dir.children(room).size] }

      assert_empty(sizes.select { |_, size| size > ROOM_FILES })
    end

    test "a class is in the file of its name, alone" do
      wrong = library.reject { |path, _| path.match?(KINDS) }.filter_map { |path, text| misplaced(path, text) }

      assert_empty wrong
    end

    test "no file is too long to be read in one sitting" do
      files = SourceFiles.matching("{lib,test,examples/*/app,examples/*/lib}/**/*.rb",
        "ext/**/*.{c,h,rb}", "test/**/*.{c,h}", "{bin,exe}/*")

      assert_empty(files.transform_values { |text| text.lines.size }.select { |_, lines| lines > LINES })
    end

    test "no error is swallowed unnamed" do
      unnamed = /\brescue nil\b|\brescue\s*(?:=>.*)?$|rescue Exception(?!.*# why:)/

      assert_lines_without(unnamed, "lib/**/*.rb", "exe/*", "test/**/*.rb")
    end

    # Subject, verb, object: a reader of the first word knows what a sentence is about.
    test "no sentence of a comment begins with a word for another one" do
      beginning = /(?:#|\*|[.;]) +(?:That of|Those (?:that|of|whose)|The one that|Of several)\b/

      assert_lines_without(beginning, "lib/**/*.rb", "ext/**/*.{c,h}", "test/**/*.{rb,c,h}", "bench/**/*.{rb,c}")
    end

    # Else another Bundler may start the program again, without the load path of the command line.
    test "no lock names a Bundler" do
      locks = SourceFiles.matching("*.lock", "gemfiles/*.lock", "test/**/*.lock", "examples/**/*.lock")
      assert_includes locks.keys, "Gemfile.lock"
      assert_empty(locks.select { |_, text| text.include?("BUNDLED WITH") }.keys)
    end

    test "no test sleeps" do
      assert_lines_without(/(?<![.\w"])sleep\b[ (]+\d/, "test/**/*_test.rb")
    end

    # An application's own `sleep`, defined at its top level, is every object's.
    test "the server sleeps by nobody else's method" do
      assert_lines_without(/^[^#"'`]*(?<![.\w])sleep(?:[ (]|$)/, "lib/**/*.rb", "exe/*")
    end

    private

    def library
      @library ||= SourceFiles.matching("lib/coppice.rb", "lib/coppice/**/*.rb")
    end

    # What is wrong with the definitions of a file. It may have none, or add constants to the module of its folder.
    def misplaced(path, text)
      definitions = text.scan(DEFINITION).map { |indent, *names| [indent, names.compact.first.downcase] }
      name = File.basename(path, ".rb").delete("_")
      own = definitions.find { |_, found| found == name }
      beside = own ? definitions.select { |indent, _| indent == own.first } - [own] : []
      return "#{path} defines #{beside.map(&:last).join(' and ')} as well" if beside.any?

      folder = File.basename(File.dirname(path)).delete("_")
      "#{path} does not define #{name}" unless own || [nil, folder].include?(definitions.map(&:last).last)
    end

    # "lib/coppice/worker/trial.rb" is what others require as "worker/trial" (below coppice/).
    def feature(path)
      path.delete_prefix("lib/").delete_suffix(".rb").delete_prefix("coppice/")
    end

    def part_of(feature)
      return "coppice" if ["", "coppice"].include?(feature)
      return "coppice_ext" if feature.end_with?("/coppice_ext") # of one Ruby version

      PARTS.find { |part| feature == part || feature.start_with?("#{part}/") }
    end

    def may_know?(part, other)
      return true if part == other || FOUNDATION.include?(other)
      return false if FOUNDATION.include?(part)

      SHARED.include?(other) || [ARROWS, MONITOR].any? { |arrows| arrows.fetch(part, []).include?(other) }
    end

    def assert_lines_without(pattern, *files)
      texts = SourceFiles.matching(*files).except("test/architecture_test.rb")
      found = texts.flat_map do |path, text|
        lines = text.lines.each.with_index(1).select { |line, _| line.match?(pattern) }
        lines.map { |line, number| "#{path}:#{number}: #{line.strip}" }
      end

      assert_empty found
    end
  end
end
