# frozen_string_literal: true

require "etc"
require "fileutils"
require "socket"
require "tmpdir"
require "support/loopback_ports"
require "support/bounded_wait"
require_relative "self_signed"

module Coppice
  # Databases, caches and brokers that tests start for themselves: Debian's packages, in a folder of their own, on a
  # Unix socket or a port of the loopback interface. Some refuse to run as root: then all run as `nobody`.
  module Services
    PROGRAMS = {
      postgres: "/usr/lib/postgresql/*/bin/postgres", mariadb: "/usr/sbin/mariadbd", redis: "/usr/bin/redis-server",
      memcached: "/usr/bin/memcached", rabbitmq: "/usr/lib/rabbitmq/bin/rabbitmq-server",
      nats: "/usr/sbin/nats-server"
    }.freeze
    LIMIT = 240 # seconds of waiting until a service answers

    # A service that runs. `folder` has its data, its sockets and its log.
    Service = Struct.new(:name, :folder, :pid, :helper_pid, :port, keyword_init: true) do
      def path(name) = File.join(folder, name)
    end

    class << self
      # The path of a service's program; nil when its package is not installed.
      def program(name) = Dir[PROGRAMS.fetch(name)].max

      # Yields a service that answers, and stops it afterwards.
      def run(name)
        folder = Dir.mktmpdir("coppice-#{name}-")
        File.chmod(0o755, folder)
        service = Service.new(name: name, folder: folder)
        FileUtils.chown("nobody", "nogroup", folder) if root?
        service.pid = send(name, service)
        yield service
      ensure
        stop(service) if service
        FileUtils.remove_entry(folder) if folder
      end

      private

      def postgres(service)
        programs = File.dirname(program(:postgres))
        command(service, "#{programs}/initdb", "-D", service.path("data"), "-U", "test", "-A", "trust", "--no-sync")
        pid = start(service, "#{programs}/postgres", "-D", service.path("data"), "-k", service.folder, "-h", "",
                    "-c", "fsync=off", "-c", "max_connections=50")
        wait(service, pid) do
          ready?(service, "#{programs}/pg_isready", "-h", service.folder, "-U", "test", "-d", "postgres")
        end
      end

      def mariadb(service)
        data = ["--no-defaults", "--datadir=#{service.path("data")}"]
        command(service, "mariadb-install-db", *data, "--auth-root-authentication-method=normal", "--skip-test-db")
        pid = start(service, program(:mariadb), *data, "--socket=#{service.path("socket")}", "--skip-networking",
                    "--pid-file=#{service.path("pid")}", "--innodb-flush-log-at-trx-commit=0")
        wait(service, pid) { ready?(service, "mariadb-admin", "-uroot", "-S", service.path("socket"), "ping") }
      end

      # With TLS on its port, and without on its socket.
      def redis(service)
        own = SelfSigned.new
        files = { "certificate" => own.certificate, "key" => own.key }
        files.each { |name, part| File.write(service.path(name), part.to_pem) }
        service.port = free_port
        pid = start(service, program(:redis), "--port", "0", "--unixsocket", service.path("socket"), "--save", "",
                    "--dir", service.folder, "--bind", "127.0.0.1", "--tls-port", service.port.to_s,
                    "--tls-auth-clients", "no", "--tls-cert-file", service.path("certificate"),
                    "--tls-key-file", service.path("key"), "--tls-ca-cert-file", service.path("certificate"))
        wait(service, pid) { UNIXSocket.open(service.path("socket"), &:close) || true }
      end

      def memcached(service)
        service.port = free_port
        pid = start(service, program(:memcached), "-l", "127.0.0.1", "-p", service.port.to_s, "-U", "0")
        wait(service, pid) { TCPSocket.open("127.0.0.1", service.port, &:close) || true }
      end

      def nats(service)
        service.port = free_port
        pid = start(service, program(:nats), "--addr", "127.0.0.1", "--port", service.port.to_s)
        wait(service, pid) { TCPSocket.open("127.0.0.1", service.port, &:close) || true }
      end

      # Erlang starts a port mapper, which outlives it, unless one answers: this one is ended together with it.
      def rabbitmq(service)
        service.port = free_port
        mapper_port = free_port.to_s
        service.helper_pid = start(service, "/usr/lib/erlang/bin/epmd", "-address", "127.0.0.1", "-port", mapper_port)
        await(service) { TCPSocket.open("127.0.0.1", Integer(mapper_port), &:close) || true }
        environment = { "RABBITMQ_MNESIA_BASE" => service.path("data"), "RABBITMQ_LOG_BASE" => service.path("logs"),
                        "RABBITMQ_NODE_IP_ADDRESS" => "127.0.0.1", "RABBITMQ_NODE_PORT" => service.port.to_s,
                        "RABBITMQ_ENABLED_PLUGINS_FILE" => service.path("plugins"), "RABBITMQ_LOGS" => "-",
                        "RABBITMQ_NODENAME" => "coppice#{service.port}@localhost", "ERL_EPMD_ADDRESS" => "127.0.0.1",
                        "ERL_EPMD_PORT" => mapper_port, "RABBITMQ_DIST_PORT" => free_port.to_s }
        words = environment.map { |name, value| "#{name}=#{value}" }
        pid = start(service, "env", *words, "/usr/lib/rabbitmq/bin/rabbitmq-server")
        wait(service, pid) { TCPSocket.open("127.0.0.1", service.port, &:close) || true }
      end

      def free_port = LoopbackPorts.free(1).first

      # With the folder as its own: as nobody when we are root.
      def start(service, *words)
        Process.spawn({ "HOME" => service.folder }, *as_nobody, *words, chdir: service.folder, in: File::NULL,
                      %i[out err] => [service.path("log"), "a"], pgroup: true)
      end

      def command(service, *words)
        status = BoundedWait.status_of(start(service, *words), LIMIT)
        raise "#{words.first}: #{status.inspect}\n#{File.read(service.path("log"))}" unless status.success?
      end

      def ready?(service, *words)
        BoundedWait.status_of(start(service, *words), LIMIT).success?
      end

      def as_nobody = root? ? %w[setpriv --reuid=nobody --regid=nogroup --clear-groups --] : []
      def root? = Process.uid.zero?

      # Answers the pid once the block answers true.
      def wait(service, pid, &block)
        service.pid = pid
        await(service, &block)
        pid
      end

      def await(service)
        complaint = -> { "#{service.name} does not answer\n#{File.read(service.path("log"))}" }
        BoundedWait.wait(LIMIT, complaint, interval: 0.05) { answers? { yield } }
      end

      def answers?
        yield
      rescue SystemCallError
        false
      end

      def stop(service)
        [service.pid, service.helper_pid].compact.each do |pid|
          Process.kill(service.name == :postgres ? :QUIT : :TERM, pid)
          BoundedWait.status_of(pid, LIMIT)
        end
      end
    end
  end
end
