# frozen_string_literal: true

require "coppice/cli/commands"
require "coppice/log/text"
require "coppice/mold_environment"
require "coppice/terminal"
require "coppice/version"

module Coppice
  class CLI
    # What a server says of itself when it starts, as far as the monitor knows. What only the mold knows, such as
    # whether YJIT is on, the mold logs when the application is loaded.
    class Banner
      HELPFUL = %w[status top refork].freeze # commands, where there are such

      # listener_names: the texts of the addresses, each with its options.
      #: (Config::Settings, Array[String]) -> void
      def initialize(settings, listener_names)
        @settings = settings
        @listener_names = listener_names
      end

      #: () -> String
      def title = "Coppice #{VERSION}"

      # Of the log line that says the same where nobody watches.
      #: () -> Hash[Symbol, untyped]
      def fields
        { ruby: RUBY_VERSION, environment: @settings.environment_name, config: @settings.config_file || "none",
          listen: @listener_names.join(" "), admin: admin, directory: Dir.pwd, workers: @settings.worker_processes,
          reforking: reforking }
      end

      # Some lines for a terminal.
      #: (Terminal) -> String
      def text(terminal)
        rows = self.rows
        width = rows.map { |name, _| name.size }.max
        lines = rows.map { |name, value| "  #{terminal.paint(name.ljust(width), :dim)}  #{shown(value)}" }
        dot = terminal.unicode? ? " · " : " - "
        head = ["Ruby #{RUBY_VERSION}", @settings.environment_name].join(dot)
        ["", "  #{terminal.paint(title, :bold)}  #{head}", "", *lines, "", ""].join("\n")
      end

      private

      def rows
        [["Address", @listener_names.join("  ")],
         ["Admin", admin],
         ["Workers", "#{@settings.worker_processes}, reforking #{reforking}"],
         ["Memory", memory],
         ["Directory", Dir.pwd],
         ["Config", @settings.config_file || "none"],
         ["Process", Process.pid],
         ["Help", help]].reject { |_, value| value.nil? }
      end

      def reforking
        case counts = @settings.refork_after
        when nil then "on USR2 only: refork_after is not set"
        when :auto then "on, when it pays"
        else "on, after #{counts.map { |count| count || 'no more' }.join(', ')} requests"
        end
      end

      def admin
        @settings.admin_listen&.join("  ")
      end

      # Of the first mold; a later one may have other parameters, which the log says.
      def memory
        environment = MoldEnvironment.new(@settings).to_log
        "#{environment[:allocator]} malloc, garbage collector parameters: #{environment[:gc]}"
      end

      def help
        "Ctrl-C stops the server at once; elsewhere: coppice #{(HELPFUL & COMMANDS.keys).join(', ')}"
      end

      # The name of a folder may have any character.
      def shown(value) = Log::Text.escape(value, Log::Text::CONTROL)
    end
  end
end
