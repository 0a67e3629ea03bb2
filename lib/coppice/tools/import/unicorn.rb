# frozen_string_literal: true

require "coppice/compatibility/unicorn"
require "coppice/tools/import/entry"
require "coppice/tools/import/foreign"
require "coppice/tools/import/server_files"
require "coppice/tools/import/table"

module Coppice
  module Import
    # The directives of Unicorn 5 and 6. `coppice -c config/unicorn.rb` runs the same file without a translation, and
    # warns of what has no effect: see Compatibility::UnicornDsl.
    module Unicorn
      TITLE = "Unicorn"
      FILE = "config/unicorn.rb"
      BARE = [].freeze
      CALLS_ALL_BLOCKS = false # the last one of a hook replaces those before
      WRAPPERS = [].freeze
      FOREIGN = Foreign.new(constants: %w[Unicorn RACKUP], features: /\Aunicorn/)

      SIGNALS = "logrotate must not send USR1, which rolls to the release in the server's directory (`coppice " \
                "reopen-logs` reopens log files); HUP stops the server, USR2 reforks: docs/migrating.md"

      PRELOAD = "the application is always loaded before the fork: `coppice doctor` finds what does not survive that"

      LIMIT = "its limit is `spawn_timeout`"

      DIRECTIVES = Table.build do |table|
        %i[worker_processes logger listeners rewindable_input client_body_buffer_size
           check_client_connection].each { |name| table.take(name) }
        table.take(:early_hints, note: "not behind every proxy (docs/proxies.md)")
        %i[stdout_path stderr_path].each { |name| table.take_file(name) }
        table.take_file(:pid, to: :pidfile)
        table.take_directory(:working_directory)
        table.take(:listen) do |call|
          ServerFiles.advise(call, call.value.to_s[/\Aunix:(.+)/, 1])
          options = call.texts.drop(1).map { |text| text.gsub(/,?\s*:?accept_filter(?::|\s*=>)\s*["']\w*["']/, "") }
          call.as(:listen, call.text, *options.map { |text| text.sub(/\A,\s*/, "") }.reject(&:empty?))
        end
        table.change(:timeout, to: :timeout,
          note: "the client gets 503; a worker that is still there 2 seconds later is killed")
        table.hook(:before_fork, to: :before_fork,
          note: "runs in the process that forks, without the worker; #{LIMIT}")
        table.hook(:after_fork, to: :after_worker_fork, note: LIMIT)
        table.hook(:after_worker_ready, to: :after_worker_ready, note: LIMIT)
        table.hook(:after_worker_exit, to: :after_worker_exit,
          note: "runs in the monitor, without the application")
        Compatibility::Unicorn::WITHOUT_EFFECT.each do |name, note|
          table.drop(name, note: note, settled: %i[before_exec preload_app worker_exec].include?(name))
        end
      end

      #: (String) -> String?
      def self.preamble(_body) = nil

      # What Unicorn does without a directive: name of an option, line, and reason.
      #: (Translator) -> Array[[Symbol, String, String]]
      def self.additions(translator)
        [(timeout unless translator.certain?(:timeout)), spawn_timeout(translator)].compact
      end

      def self.timeout
        seconds, ours = Compatibility::Unicorn::DEFAULT_TIMEOUT, Config::OPTIONS[:timeout].default
        [:timeout, "timeout #{seconds}", "Unicorn's default, where Coppice has #{ours} seconds"]
      end
      private_class_method :timeout

      # From the longest timeout that the file names: which one holds may depend on a condition.
      def self.spawn_timeout(translator)
        hooks = !translator.kept(*Compatibility::Unicorn::STARTING_HOOKS).empty?
        longest = translator.called(:timeout).map(&:value).grep(Numeric).max || Compatibility::Unicorn::DEFAULT_TIMEOUT
        seconds = Compatibility::Unicorn.spawn_timeout(longest, hooks: hooks) or return
        ours = Config::OPTIONS[:spawn_timeout].default
        [:spawn_timeout, "spawn_timeout #{seconds}",
         "Unicorn has no limit for hooks before a worker serves, and Coppice #{ours} seconds: raise it for longer ones"]
      end
      private_class_method :spawn_timeout

      #: (Array[Entry], Translator) -> Array[Entry]
      def self.advised(entries, translator)
        preload = Entry.new(name: :preload_app, outcome: :changed, note: PRELOAD)
        [*entries, *([preload] if translator.called(:preload_app).empty?),
         Entry.new(name: :signals, outcome: :changed, note: SIGNALS)]
      end
    end
  end
end
