# frozen_string_literal: true

require "test_helper"
require "fcntl"
require "coppice/board"
require "coppice/config/settings"
require "coppice/monitor/observer/observer_spawner"
require "coppice/monitor/kernel/system"

module Coppice
  class Monitor
    class ObserverSpawnerTest < TestCase
      # Reads what it is sent.
      Channel = Struct.new(:settings, :board, :writable) do
        def send(_message, descriptors:)
          self.settings = Control::MemoryFile.read(descriptors.fetch(:settings))
          descriptor = descriptors.fetch(:board)
          self.board = Board.attach(descriptor.fileno, read_only: true)
          self.writable = (descriptor.fcntl(Fcntl::F_GETFL) & Fcntl::O_ACCMODE) == Fcntl::O_RDWR
        end
      end

      # What the observer of a release with this configuration file is told.
      def introduce(name = nil)
        settings = Config::Settings.new(values: {}, config_file: name)
        release = Struct.new(:settings, :directory).new(settings, "/srv/shop/releases/2")
        board = Board.create
        board.introduce(listeners: "http://shop")
        channel = Channel.new
        ObserverSpawner.new(board: board, listeners: Struct.new(:descriptors).new([]), system: nil)
                       .introduce(Struct.new(:channel).new(channel), release)
        yield channel, board
      ensure
        [channel&.board, board].compact.each(&:close)
      end

      # The configuration file that the observer is told to read.
      def file_for(name) = introduce(name) { |channel| channel.settings[:config_file] }

      test "the observer is a program of the release, as its mold is" do
        started = nil
        release = Struct.new(:ruby, :executable, :settings)
                        .new("/opt/ruby/bin/ruby", "/gems/coppice/exe/coppice", Config::Settings.new(values: {}))
        Process.stub(:spawn, ->(*command, **) { started = command }) do
          ObserverSpawner.new(board: nil, listeners: nil, system: System.new).spawn(Struct.new(:fileno).new(9), release)
        end

        assert_equal BareRuby.variables(ENV), started.shift
        assert_equal %w[/opt/ruby/bin/ruby --disable=gems,rubyopt /gems/coppice/exe/coppice observer 9], started
      end

      test "the observer reads the configuration file in the release's directory, wherever the monitor is" do
        assert_equal "/srv/shop/releases/2/config/coppice.rb", file_for("config/coppice.rb")
        assert_equal "/etc/coppice.rb", file_for("/etc/coppice.rb")
        assert_nil file_for(nil)
      end

      test "the observer's descriptor of the board cannot write" do
        introduce { |channel| refute channel.writable }
      end

      test "without /proc the observer has the board all the same, and the monitor keeps it" do
        File.stub(:open, ->(path, *) { raise Errno::ENOENT, path }) do
          introduce do |channel, board|
            assert_equal "http://shop", channel.board.listeners
            assert_predicate IO.for_fd(board.fileno, autoclose: false).stat, :file?
          end
        end
      end
    end
  end
end
