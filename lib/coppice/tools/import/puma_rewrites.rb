# frozen_string_literal: true

require "shellwords"
require "coppice/config/options"
require "coppice/tools/import/puma_capacity"
require "coppice/tools/import/server_files"

module Coppice
  module Import
    # The directives of Puma whose arguments have another form in Coppice. Each method returns the new text of a call,
    # or nil to drop it.
    module PumaRewrites
      SCHEME = %r{\A(["'])(?:tcp://|(unix)://)}.freeze
      # A host without a port.
      HOST = %r{\A["']tcp://(?:[\w.-]+|\[[\h:.]+\])\z}.freeze
      # Puts brackets around the host of an address if it is one of IPv6, which is known when the file is read.
      BRACKETS = '.sub(/\A([^\[].*:.*):/, "[\\\\1]:")'
      # Puma's default.
      PORT = 9292
      # Parameters of a URI => options of listen.
      PARAMETERS = { "backlog" => "backlog", "umask" => "umask", "low_latency" => "tcp_nodelay" }.freeze
      NO_TLS = "Coppice has no TLS: put a proxy in front"
      METRICS = "its metrics are lost. admin_listen has the server's for Prometheus, on_stats sends them to other " \
                "services: docs/monitoring.md"
      PLUGINS = {
        tmp_restart: "`bin/rails restart` does nothing in production: after a deploy use `coppice roll` " \
                     "(docs/deploys.md)",
        systemd: "systemd needs none: docs/deployment.md",
        **%i[appsignal barnes metrics statsd yabeda].to_h { |name| [name, METRICS] },
        yabeda_prometheus: "#{METRICS}. For the application's mount Yabeda::Prometheus::Exporter in config.ru"
      }.freeze

      HEADER = "REMOTE_ADDR is the peer. Rails' request.remote_ip reads X-Forwarded-For; for another header use a " \
               "Rack middleware"

      AUTOMATIC = "1.5 to 8 workers for each processor, as requests wait"

      # Nodes of arithmetic with literals.
      NUMERIC = %i[LIT INTEGER OPCALL LIST].freeze
      # Expressions whose value is a number.
      NUMBER = /\AInteger\b|\.to_i\)?\z|\AEtc\.nprocessors\z/.freeze

      class << self
        # The first argument as a number: Puma takes texts too, such as those of variables of the environment.
        #: (Call) -> String
        def integer(call)
          numeric = call.arguments.first&.walk&.all? { |node| NUMERIC.include?(node.type) }
          numeric || NUMBER.match?(call.definition) ? call.text : "Integer(#{call.text})"
        end

        # A rewrite for a directive whose argument is a number.
        #: (Symbol) -> ^(Call) -> String
        def number_for(name) = ->(call) { call.as(name, integer(call)) }

        # A literal 0 is mostly left from a template. Within a condition it is a choice, such as that of development.
        #: (Call) -> String
        def workers(call)
          none = call.value == 0
          replaced = none && NUMERIC.include?(call.arguments.first.type) && !call.conditional?
          call.note = "0 is one process with three threads, without reforking and without a limit for a request" if none
          call.note = "Puma ran one process with threads; :auto is #{AUTOMATIC}" if replaced
          return call.as(:worker_processes, ":auto") if replaced || [:auto, "auto"].include?(call.value)

          call.as(:worker_processes, (range(call) unless none) || count(call))
        end

        #: (Call) -> String
        def port(call)
          port, host = call.texts
          unless host
            call.note = "on all IPv4 addresses; on localhost alone where the environment is named development, " \
                        "as with `bin/rails server`"
            return call.as(:listen, *call.texts.first(1))
          end

          port = "\#{#{port}}" unless port.match?(/\A\d+\z/)
          literal = host[/\A["']([\w.:-]+)["']\z/, 1]
          return call.as(:listen, "\"\#{#{host}}:#{port}\"#{BRACKETS}") unless literal

          call.as(:listen, "\"#{literal.include?(":") ? "[#{literal}]" : literal}:#{port}\"")
        end

        #: (Call) -> nil
        def environment(call)
          name = call.literal? ? call.value.to_s.shellescape : "NAME"
          call.drop("set RACK_ENV or RAILS_ENV, or start with -E #{name}. That sets RACK_ENV alone: where the " \
                    "file reads RAILS_ENV, write ENV[\"RACK_ENV\"]")
        end

        #: (Call) -> nil
        def rackup(call)
          file = call.value&.to_s or return
          return call.drop("it is the default") if file == "config.ru"

          call.drop("give the file as an argument: coppice #{file.shellescape}")
        end

        #: (Call) -> String?
        def bind(call)
          text = call.text
          return bind_expression(call, text) unless text.match?(/\A["']/)
          return call.drop(NO_TLS) if text.match?(%r{\A["']ssl://})

          if text.match?(%r{\A["']unix://@})
            return call.drop("there are no Unix sockets with abstract names: listen on a path")
          end

          question_within?(call, text) ? bind_expression(call, text) : bind_literal(call, text)
        end

        #: (Call) -> String?
        def stdout_redirect(call)
          ServerFiles.advise(call, call.value, call.value(1))
          paths = %w[stdout_path stderr_path].zip(call.texts)
          lines = paths.reject { |_, text| [nil, "nil"].include?(text) }.map { |name, text| "#{name} #{text}" }
          return lines.first unless lines.size > 1

          alone?(call) ? lines.join("\n#{" " * indent(call)}") : "(#{lines.join('; ')})"
        end

        # Puma has one time for all clients. The time of a load balancer must not become shorter than the default,
        # unless it is 0, which keeps no connection open.
        #: (Call) -> String
        def persistent_timeout(call)
          seconds, default = integer(call), Config::OPTIONS[:trusted_keepalive_timeout].default
          number = Integer(seconds, exception: false)
          return call.as(:keepalive_timeout, seconds) if number&.between?(1, default)

          call.as(:keepalive_timeout, seconds, "trusted: #{number ? seconds : "[#{seconds}, #{default}].max"}")
        end

        # `word` is "if" for a directive that turns the log on, and "unless" for one that turns it off.
        #: (Call, String) -> String?
        def access_log(call, word)
          return call.as(:access_log, "(:text #{word} #{call.text})") unless call.arguments.empty? || call.literal?

          on = call.value != false
          on = !on if word == "unless"
          on ? call.as(:access_log, ":text") : call.drop("there is no access log unless access_log turns it on")
        end

        #: (Call) -> String?
        def fork_worker(call)
          count = call.arguments.empty? ? "1000" : integer(call)
          return call.drop("0 turns reforking by a count off, as in Coppice without refork_after") if count == "0"

          call.as(:refork_after, "[#{count}]")
        end

        # REMOTE_ADDR from the PROXY protocol, or from a header.
        #: (Call) -> nil
        def remote_address(call)
          case call.texts.join[/\b(?:proxy_protocol|header)\b/]
          when "proxy_protocol" then call.task = "listen …, proxy_protocol: true"
          when "header"
            call.task = "take the client's address from the header"
            call.note = HEADER
          end
          nil
        end

        # An option of each address here.
        #: (Call) -> nil
        def rack_url_scheme(call)
          return if call.arguments.empty?
          return call.drop("http is the default") if call.value == "http"

          call.task = call.value == "https" ? "listen …, scheme: :https" : "listen …, scheme: :http or :https"
          nil
        end

        # Solid Queue's supervisor has a process of its own; other plugins have nothing to be loaded into.
        #: (Call) -> String?
        def plugin(call)
          name = call.value.to_s.to_sym
          return call.drop(PLUGINS.fetch(name, "there are no plugins, only hooks")) unless name == :solid_queue

          call.note = "a process beside the workers: docs/services.md"
          "service(:solid_queue, survives_reforks: true) { SolidQueue::Supervisor.start }"
        end

        private

        # How many to take instead is said once.
        def range(call)
          capacity = PumaCapacity.new(call)
          text = capacity.range
          call.note = capacity.note if text
          call.advice = capacity.advice unless text || call.source.calls(:workers).first != call.node
          text
        end

        # Of workers: a variable of the environment may be "auto".
        def count(call)
          number = integer(call)
          return number if number == call.text || call.arguments.first.type == :STR

          call.note ||= "a worker serves one request at a time. What is no number becomes :auto"
          "Integer(#{call.text}, exception: false) || :auto"
        end

        def bind_expression(call, text)
          call.note = "the text of an address is known only when the file is read; what follows ? is left out"
          call.as(:listen, "(#{text}).gsub(%r{\\A(?:tcp:|(unix:))//|\\?.*}, \"\\\\1\")")
        end

        # Whether the first question mark is part of an expression in the text, and begins no query.
        def question_within?(call, text)
          index = text.b.index("?") or return false
          address = call.arguments.first
          address.walk.any? { |node| node.type == :EVSTR && (node.from...node.to).cover?(address.from + index) }
        end

        def bind_literal(call, text)
          ServerFiles.advise(call, call.value.to_s[%r{\Aunix://(.+)}, 1])
          quote = text[0]
          path, query = text.delete_suffix(quote).split("?", 2)
          path += ":#{PORT}" if path.match?(HOST)
          address = path.sub(SCHEME) { "#{$1}#{"unix:" if $2}" }.sub(%r{\A(["'])unix:/}, "\\1/") + quote
          options = query.to_s.split("&").map { |pair| option(call, pair) }
          call.as(:listen, address, *options.compact)
        end

        # "backlog=1024" => "backlog: 1024". An umask is an octal number, with and without its 0. Puma takes a name
        # alone as well: "low_latency".
        def option(call, pair)
          name, value = pair.split("=", 2)
          known = PARAMETERS[name]
          value = value == "false" ? "false" : "true" if name == "low_latency"
          value = value.to_s.sub(/\A0?o?/, "0o") if name == "umask"
          return "#{known}: #{value}" if known && value&.match?(/\A(?:\d+|0o[0-7]+|true|false)\z/)

          call.note = "without #{name}" unless name == "optimize_for_latency"
          nil
        end

        def indent(call) = call.node.from - call.source.line_start(call.node.from)

        # Without a condition behind the call, which has to count for both lines.
        def alone?(call)
          source = call.source
          [source.line_start(call.node.from)...call.node.from, call.node.to...source.line_end(call.node.to)]
            .all? { |range| source.of(range).strip.empty? }
        end
      end
    end
  end
end
