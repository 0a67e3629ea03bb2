# frozen_string_literal: true

require "coppice/config/hooks"
require "coppice/config/listen_options"
require "coppice/config/options"
require "coppice/config/services"

module Coppice
  module Config
    # Writes docs/configuration.md from the catalogues of options and hooks. Only `rake docs` runs it.
    class Reference
      INTRODUCTION = <<~MARKDOWN
        # Configuration

        *This page is generated from the catalogue in `lib/coppice/config/` by `rake docs`. Change it there.*

        The configuration file is plain Ruby. Coppice reads the one that `-c` names, or `config/coppice.rb`, or
        `config/pitchfork.rb`: every option and hook of Pitchfork exists under the same name and with the same meaning.

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

        `coppice check` checks the file without starting a server, in the [`directory`](#directory) where the server
        reads it. It warns of log files that the user who runs it could not open, and creates none.
        It lists what `coppice import` has left to be changed by hand, and hooks that use constants of Puma or Unicorn
        without that gem in the bundle. With `--strict` the exit status is 1 if it warns of anything.
        `coppice check --show` prints each setting, its value and where it comes from. `coppice help timeout`
        explains an option. A list may be written without its brackets: `refork_after 50, 100`.

        **Precedence.** A flag, then an environment variable, then the options line of `config.ru` (`#\\ -p 3000`),
        then the configuration file, then the default.

        **Evaluation.** The monitor evaluates the file for the values and for the hooks that it calls. Each mold that
        boots the application evaluates the file again, for all other hooks and for the logger. So do not create
        threads, pipes or random values at the top level of the file: each of these processes would have its own. The
        monitor runs without RubyGems until the file, or a file that it requires, needs a gem. This costs memory for as
        long as the server runs: require the gem within the hook that needs it.

        **Scope.** Options of the scope *server* hold from the start of the server to its end: its sockets, its files
        and the lobby. Options of the scope *release* hold for one release of the application: `coppice roll` takes
        them from the configuration file of the next one (docs/deploys.md).
      MARKDOWN

      ADDRESSES = <<~MARKDOWN
        ### Addresses

        | value | meaning |
        |---|---|
        | `3000`, `"3000"`, `":3000"` | port 3000 on all IPv4 addresses; on localhost where the environment is named development |
        | `"*:3000"`, `"0.0.0.0:3000"` | port 3000 on all IPv4 addresses |
        | `"127.0.0.1:3000"` | port 3000 on one address |
        | `"localhost:3000"` | port 3000 on 127.0.0.1, and on ::1 where the machine has it |
        | `"[::]:3000"` | port 3000 on all addresses, IPv6 and IPv4 (see `ipv6only`) |
        | `"[::1]:3000"` | port 3000 on one IPv6 address |
        | `"/run/app.sock"`, `"unix:tmp/app.sock"`, `"~/app.sock"` | a Unix socket |

        A port that another process holds is an error at start; the message names that process. So are two addresses of
        one server that overlap, such as `3000` and `"[::]:3000"` without `ipv6only: true`. A Unix socket that no
        process uses is replaced. Clients can connect when the first worker is ready. Sockets that systemd passes
        (socket activation) are used for the addresses that they are bound to. Those with
        `FileDescriptorName=listen` take the place of all addresses of `listen` in the file.

        `coppice check --show` and the server's log name each address with the options that are not the default:
        `0.0.0.0:3000 (backlog: 64)`.

        Options of `listen`, as in `listen 3000, backlog: 64`:
      MARKDOWN

      HOOKS_INTRODUCTION = <<~MARKDOWN
        ## Hooks

        A hook is a block that the server calls. A block may take fewer arguments than it is given, but not more. Only
        the last block of a name is called, and `nil` removes it: `after_worker_ready nil`.

        An exception in `after_mold_fork`, `after_worker_fork`, `after_worker_ready`, `before_worker_exit` or a hook of
        the service worker ends that process. An exception in any other hook is logged, and the process goes on; after
        one in `before_fork` it does not fork.

        The first argument, `server`, has the methods `logger` and `listener_names`, and one for each option. `worker` has
        `nr`, `pid`, `generation` and `requests_count`.
      MARKDOWN

      #: () -> String
      def to_markdown
        [INTRODUCTION, *groups, services, HOOKS_INTRODUCTION, *HOOKS.map { |hook| hook_section(hook) }].join("\n")
      end

      private

      def groups
        OPTIONS.group_by(&:group).flat_map do |title, options|
          sections = options.map { |option| option_section(option) }
          sections += [ADDRESSES, listen_table] if title == Groups::LISTENERS
          ["## #{title}\n", *sections]
        end
      end

      def option_section(option)
        <<~MARKDOWN
          ### `#{option.name}`

          ```ruby
          #{option.example}
          ```

          #{option.doc}

          #{facts(option).map { |title, text| "- #{title}: #{text}" }.join("\n")}
        MARKDOWN
      end

      def facts(option)
        {
          "Type" => option.type.description,
          "Default" => option.default_text || ["`#{option.default.inspect}`", option.type.unit].compact.join(" "),
          "Flag" => option.usage && "`#{option.usage}`",
          "Environment" => option.environment && "`#{option.environment}`",
          "Scope" => option.scope.to_s,
          "Pitchfork" => ("no such option" if option.since == :coppice)
        }.compact
      end

      def listen_table
        rows = LISTEN_OPTIONS.map do |option|
          default = option.default.nil? ? "" : "`#{option.default.inspect}`"
          "| `#{option.name}` | #{option.type.description} | #{default} | #{option.doc} |"
        end
        ["| option | type | default | meaning |", "|---|---|---|---|", *rows, ""].join("\n")
      end

      def services
        rows = SERVICE_OPTIONS.map do |option|
          "| `#{option.name}` | #{option.type.description} | #{option.default_description} | #{option.doc} |"
        end
        ["## Services", "", "### `service`", "", "```ruby", SERVICE_EXAMPLE, "```", "", SERVICE_DOC, "",
         "- Pitchfork: no such directive", "", "| option | type | default | meaning |", "|---|---|---|---|", *rows,
         ""].join("\n")
      end

      def hook_section(hook)
        <<~MARKDOWN
          ### `#{hook.name}`

          ```ruby
          #{hook.example}
          ```

          #{hook.doc} Runs in #{hook.place}.
        MARKDOWN
      end
    end
  end
end
