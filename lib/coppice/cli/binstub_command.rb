# frozen_string_literal: true

require "coppice/cli/commands"
require "coppice/config/flag_parser"
require "coppice/errors"
require "coppice/executable"
require "coppice/version"

module Coppice
  class CLI
    # `coppice binstub [NAME …]`: lets bin/rails and bin/rake of the current directory run in forks of the running
    # server when COPPICE_RUN is 1, and writes bin/coppice, which starts this version without RubyGems. Adds lines to
    # what is there, and takes them out again with --remove.
    class BinstubCommand
      NAMES = %w[rails rake].freeze
      FOLDER = "bin"
      OWN = "#{FOLDER}/coppice".freeze
      MARK = "# Written by `coppice binstub`"
      LINES = <<~'RUBY'
        # coppice binstub: with COPPICE_RUN=1 a fork of the running server is this program, where a server runs.
        begin
          coppice = File.expand_path("coppice", __dir__)
          exec coppice, "run", "--fallback", File.expand_path(__FILE__), *ARGV if ENV["COPPICE_RUN"] == "1"
        rescue SystemCallError => error
          warn "#{coppice}: #{error.message}. #{$0} starts without the server"
        end
        # End of coppice binstub.
      RUBY
      BLOCK = /^# coppice binstub: .*?^# End of coppice binstub\.\n\n?/m.freeze

      #: (Array[String], ?output: IO) -> void
      def initialize(arguments, output: $stdout)
        @arguments = arguments
        @output = output
      end

      # Returns 0. Raises UsageError or Error.
      def run #: () -> Integer
        names = parse
        @remove ? remove(names) : add(names)
        0
      end

      private

      # Without names: those that are there.
      def parse
        parser = Config::FlagParser.new { |flags| flags.on("--remove") { @remove = true } }
        names = parser.words(@arguments).map { |name| name.delete_prefix("#{FOLDER}/") }
        names = NAMES.select { |name| File.file?("#{FOLDER}/#{name}") } if names.empty?
        raise Error, "there is neither #{FOLDER}/rails nor #{FOLDER}/rake in #{Dir.pwd}: name a program" if names.empty?

        names.each { |name| check("#{FOLDER}/#{name}") }
      end

      def check(path)
        raise UsageError, "#{path} is the program that the others call: leave it out" if path == OWN
        raise Error, "there is no #{path}: `bundle binstubs` makes one for a gem" unless File.file?(path)
        return if File.binread(path, 256).match?(/\A#!.*ruby/n)

        raise Error, "#{path} is no Ruby script: its first line has no ruby, so no guest can run it"
      end

      def add(names)
        write_own
        names.each do |name|
          change("#{FOLDER}/#{name}", "has the lines for COPPICE_RUN=1") do |text|
            head = text[/\A(?:#.*\n)+/] # magic comments have to stay first
            "#{head}\n#{LINES}\n#{text.delete_prefix(head).sub(/\A\n/, '')}"
          end
        end
      end

      def remove(names)
        names.each { |name| change("#{FOLDER}/#{name}", "has no lines for COPPICE_RUN=1") { |text| text } }
        return unless own?

        File.delete(OWN)
        @output.puts "#{OWN} is deleted"
      end

      # Yields the text without our lines.
      def change(path, outcome)
        before = File.read(path, encoding: Encoding::UTF_8)
        after = yield before.sub(BLOCK, "")
        File.write(path, after) unless after == before
        @output.puts "#{path} #{outcome}#{', as before' if after == before}"
      end

      def write_own
        if File.exist?(OWN) && !own?
          return @output.puts "#{OWN} is another program's and stays. Delete it to get one that starts faster"
        end

        before = own? ? File.read(OWN) : nil
        File.write(OWN, script)
        File.chmod(0o755, OWN)
        @output.puts "#{OWN} starts Coppice #{VERSION}#{', as before' if before == script}"
      end

      def own? = File.file?(OWN) && File.read(OWN).include?(MARK)

      # In sh: another Ruby would take longer than all of its work.
      def script
        <<~SH
          #!/bin/sh
          #{MARK} of version #{VERSION}. Starts Coppice from where it was then, and commands that need
          # no gem without RubyGems. If it is no longer there, RubyGems or Bundler finds it.
          root=$(cd "$(dirname "$0")/.." && pwd) || exit
          coppice=#{program}
          [ ! -f "$root/Gemfile" ] || export BUNDLE_GEMFILE="${BUNDLE_GEMFILE:-$root/Gemfile}"

          if [ -f "$coppice" ]; then
            case ${1-} in
              #{commands.each_slice(9).map { |some| some.join(' | ') }.join(" | \\\n    ")})
                exec ruby --disable=gems,rubyopt "$coppice" "$@" ;;
              *) exec ruby "$coppice" "$@" ;;
            esac
          fi
          exec ruby ${BUNDLE_GEMFILE:+-rbundler/setup} \\
            -e 'load Gem.activate_bin_path("coppice", "coppice", ">= 0.a")' -- "$@"
        SH
      end

      # Relative to the application where the gem is within it, as in vendor/bundle: it may move to another machine.
      def program
        inside = EXECUTABLE.delete_prefix("#{Dir.pwd}/")
        inside == EXECUTABLE ? "'#{EXECUTABLE.gsub("'", %q('\\\\''))}'" : "\"$root/#{inside}\""
      end

      # Commands that load neither an application nor its configuration.
      def commands
        COMMANDS.values.select { |one| one.summary && !one.takes_serve_flags && !one.loads_application }.map(&:name)
      end
    end
  end
end
