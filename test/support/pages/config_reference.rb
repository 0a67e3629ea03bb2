# frozen_string_literal: true

require "coppice/config/hooks"
require "coppice/config/listen_options"
require "coppice/config/options"
require "coppice/config/services"

module Coppice
  module Config
    # Writes docs/configuration.md from the catalogues of options and hooks. Only `rake docs` runs it.
    class Reference
      WIDTH = 120 # characters of a line of prose

      # Options that most servers set, and what for.
      FIRST = {
        worker_processes: "how many processes serve",
        listen: "ports and Unix sockets",
        timeout: "how long a request may take",
        refork_after: "when workers are forked again from the warmest one",
        warm_up_requests: "pages that are warm before clients come",
        worker_memory_limit: "when a grown worker is replaced",
        trusted_proxies: "which proxies name the client and its scheme",
        shutdown_delay: "how long the server still serves after TERM",
        admin_listen: "metrics, health checks, the dashboard",
        directory: "the symlink that `coppice roll` follows"
      }.freeze

      # What the type of an option becomes, one after the other: "a whole number, from 1 to 240" is "Integer 1–240".
      SHORT = [
        [/\Aaddresses: .*sock" or "\S+"/, "[Addresses](#addresses)"],
        [/\Aa number of bytes, .*/, "Bytes, a size or a share of the memory"],
        [/\Athe name of a signal, .*/, "Name of a signal, or a block that returns one"],
        [/\Aan object that answers .*/, "Object like Ruby's Logger"],
        [/\Aa list of request counts, .*?(?=; or :auto)/, "Count or list of counts"],
        [/\Apaths that .*, or/, "paths, or"],
        [/ or :json, with .* file/, " or :json, and a path"],
        [/,? such as (?:\[.*?\]|\{.*?\}|"[^"]*"|2\.\.16)/, ""],
        [/\Aa whole number of workers, 0 or more/, "Integer"],
        [/\Aa whole number of bytes/, "Bytes"],
        [/a number of seconds/, "seconds"],
        [/a whole number/, "integer"],
        [/,? from (\d+) to \d{10,}/, " \\1+"],
        [/,? from -1 to \d+/, ""],
        [/,? from (\d+) to (\d+)/, " \\1–\\2"],
        [/, 0\.1 or more/, ""],
        [/, (\d+) or more/, " \\1+"],
        [/\Atrue or false/, "boolean"],
        [/\Athe (absolute )?path of a (?:socket|file|directory)/, "\\1path"],
        [/\A(?:an?|the|one of) /, ""],
        [/(?<!\S):\w+/, "`\\0`"],
        [" with names of presets", ""],
        ["; or", " or"],
        ["; a", ", a"]
      ].freeze

      INTRODUCTION = <<~MARKDOWN
        # Configuration

        *Generated from `lib/coppice/config/` by `rake docs`. Change it there.*

        Write plain Ruby into `config/coppice.rb`, or into the file that `-c` names. The ten options you may need:
      MARKDOWN

      EXAMPLE = <<~MARKDOWN
        ```ruby
        # config/coppice.rb
        worker_processes 4
        listen 3000
        timeout 10, cleanup: 2
        refork_after [50, 100, 1000]

        after_worker_fork do |server, worker|
          server.logger.info("worker \#{worker.nr} started")
        end
        ```

        `coppice check` checks the file without starting a server; with `--strict` a warning makes its status 1.
        `coppice check --show` prints each value and where it comes from. `coppice help timeout` explains an option.
        `config/pitchfork.rb` works too: Pitchfork's options and hooks have the same names and meanings here.
      MARKDOWN

      RULES = <<~MARKDOWN
        ## How values are found

        **Precedence.** The first of these counts: flag, environment variable, options line of `config.ru`
        (`#\\ -p 3000`), file, default.

        **Evaluation.** The monitor and each cold mold evaluate the file. Create no threads, pipes or random values at
        the top level: each process would have its own. Require gems within hooks, or else the monitor keeps RubyGems in
        memory.

        **Entries.** The last line has the type and the default. Each option has a flag, such as `--spawn-timeout 10` or
        `--no-early-hints`, unless it says *no flag*. Options marked *server* hold until a restart; a
        [roll](deploys.md#what-the-new-configuration-changes) changes all others. A list needs no brackets:
        `refork_after 50, 100`.
      MARKDOWN

      ADDRESSES = <<~MARKDOWN
        ### Addresses

        | value | the server listens on |
        |---|---|
        | `3000`, `":3000"` | port 3000; see `listen` for the host |
        | `"*:3000"`, `"0.0.0.0:3000"` | all IPv4 addresses |
        | `"127.0.0.1:3000"`, `"[::1]:3000"` | one address |
        | `"localhost:3000"` | 127.0.0.1, and ::1 where the machine has it |
        | `"[::]:3000"` | all addresses, IPv6 and IPv4 (see `ipv6only`) |
        | `"/run/app.sock"`, `"unix:tmp/app.sock"`, `"~/app.sock"` | a Unix socket |

        The server does not start if another process holds a port (the message names it), or if two of its own addresses
        overlap. Clients can connect when the first worker is ready. Sockets may also come from
        [systemd](deployment.md#systemd).

        Options, as in `listen 3000, backlog: 64` (those of TCP do nothing for Unix sockets):
      MARKDOWN

      HOOKS_INTRODUCTION = <<~MARKDOWN
        ## Hooks

        A hook is a block that the server calls, and may take fewer arguments. The last block of a name counts;
        `after_worker_ready nil` removes it. `server` has `logger`, `listener_names` and a method for each option;
        `worker` has `nr`, `pid`, `generation` and `requests_count`.

        An exception in `after_mold_fork`, `after_worker_fork`, `after_worker_ready`, `before_worker_exit` or a hook of
        the service worker ends that process. Any other is logged, and the process goes on, but does not fork after one
        in `before_fork`.
      MARKDOWN

      #: () -> String
      def to_markdown
        hooks = HOOKS.map { |hook| hook_section(hook) }
        [INTRODUCTION, first, EXAMPLE, RULES, *groups, services, HOOKS_INTRODUCTION, *hooks].join("\n")
      end

      private

      def first = FIRST.map { |name, purpose| "- #{link(name)}: #{purpose}\n" }.join

      def groups
        OPTIONS.group_by(&:group).flat_map do |title, options|
          sections = options.map { |option| option_section(option) }
          sections += [ADDRESSES, table(LISTEN_OPTIONS)] if title == Groups::LISTENERS
          ["## #{title}\n", *sections]
        end
      end

      def option_section(option)
        section(option.name, option.example, option.doc, "*#{facts(option).join('; ')}.*")
      end

      def section(name, example, *paragraphs)
        texts = paragraphs.map { |text| wrapped(linked(text, except: name)) }
        ["### `#{name}`", example.gsub(/^/, "    "), *texts].join("\n\n") + "\n"
      end

      def facts(option)
        [value(type(option), default(option)), *("`#{option.environment}`" if option.environment),
         *flag(option), *("server" if option.scope == :server)]
      end

      # The default says that the type is Boolean, and is one of the values of a type that lists them.
      def value(type, default)
        return "Default #{default}" if type == "Boolean"

        listed = type.sub(/#{Regexp.escape(default)}(?=,|\z)/, "#{default} (default)")
        listed == type ? "#{type}, default #{default}" : listed
      end

      def flag(option)
        return "no flag" unless option.flag

        "`#{option.flag}`" unless option.flag == "--#{option.name.to_s.tr('_', '-')}"
      end

      def type(option)
        text = option.type.description
        short(option.default.nil? ? text.delete_suffix("; or nil") : text)
      end

      def short(text)
        text = SHORT.reduce(text) { |result, (long, brief)| result.gsub(long, brief) }
        "#{text[0].upcase}#{text[1..]}"
      end

      def default(option)
        return option.default_text.gsub("; ", ", ").delete_suffix(": none") if option.default_text
        return size(option.default) if option.type.unit == "bytes" && option.default

        "`#{option.default.inspect}`"
      end

      def size(bytes)
        unit, divisor = { "GiB" => 1 << 30, "MiB" => 1 << 20, "KiB" => 1 << 10 }.find { |_, one| (bytes % one).zero? }
        "#{bytes / divisor} #{unit}"
      end

      def services
        ["## Services\n", section(:service, SERVICE_EXAMPLE, SERVICE_DOC), table(SERVICE_OPTIONS)].join("\n")
      end

      def table(options)
        rows = options.map do |option|
          type = type(option)
          row(option, option.default.nil? ? type : value(type, "`#{option.default.inspect}`"))
        end
        ["| option | meaning |", "|---|---|", *rows, ""].join("\n")
      end

      def row(option, facts) = "| `#{option.name}` | #{linked(option.doc, except: option.name)} *#{facts}.* |"

      def hook_section(hook)
        section(hook.name, hook.example, "#{hook.doc} *In #{hook.place}.*")
      end

      def link(name) = "[`#{name}`](##{name})"

      # Pages and names of options become links.
      def linked(text, except:)
        names = [*OPTIONS.names, *HOOKS.names, :service] - [except]
        text.gsub(%r{docs/(\w+\.md)(#[\w-]+)?}, "[\\1](\\1\\2)").gsub(/`(\w+)`/) do |code|
          names.include?($1.to_sym) ? link($1) : code
        end
      end

      def wrapped(text) = text.gsub(/(.{1,#{WIDTH}})(?: |\z)/o, "\\1\n").chomp
    end
  end
end
