# frozen_string_literal: true

# lane: soak -- shuts processes into namespaces

require "test_helper"
require "open3"
require_relative "../support/admin_client"
require_relative "../support/server"

# What a careful container forbids: to write anywhere but in one folder, and to be a user that the system knows.
class ContainerTest < Coppice::TestCase
  # A server that can write to its own folder only. uid: of a user without a name and without a home.
  class ConfinedServer < Server
    CONFINE = <<~SH
      mount --bind "$1" "$1" && mount -o remount,ro,bind / || exit 1
      export TMPDIR="$1"
      shift
      exec "$@"
    SH
    UNSHARE = ["unshare", *("--map-root-user" unless Process.uid.zero?), "--mount"].freeze

    # Why there can be none here; nil where there can.
    #: () -> String?
    def self.obstacle
      script = "mount --bind / / && mount -o remount,ro,bind /"
      output, status = Open3.capture2e(*UNSHARE, "sh", "-c", script)
      "no mount namespace: #{output.strip}" unless status.success?
    rescue Errno::ENOENT
      "no mount namespace: there is no unshare(1)"
    end

    def initialize(uid: nil, **options)
      super(**options)
      @uid = uid
      File.chown(uid, nil, folder) if uid
    end

    private

    def command
      user = @uid ? ["setpriv", "--reuid=#{@uid}", "--regid=#{@uid}", "--clear-groups", "env", "-u", "HOME"] : []
      [*UNSHARE, "sh", "-c", CONFINE, "sh", folder, *user, *super]
    end
  end

  # A server that has no /proc.
  class WithoutProc < Server
    HIDE = 'mount -t tmpfs none /proc && exec "$@"'

    private

    def command = [*ConfinedServer::UNSHARE, "sh", "-c", HIDE, "sh", *super]
  end

  APP = <<~RUBY
    require "etc"
    run(lambda do |env|
      writable = begin
        File.write("/coppice-test", "")
        true
      rescue SystemCallError
        false
      end
      known = begin
        Etc.getpwuid(Process.uid)
        true
      rescue ArgumentError
        false
      end
      facts = [env["rack.input"].read.bytesize, writable, known, ENV.key?("HOME")]
      [200, { "content-type" => "text/plain" }, [facts.join(" ")]]
    end)
  RUBY
  LARGE = 300_000 # bytes: more than is kept in memory

  def upload(server)
    client = server.connect
    client.write("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: #{LARGE}\r\n\r\n", "x" * LARGE)
    BoundedWait.read(client)[/\r\n\r\n(.*)\z/m, 1]
  ensure
    client&.close
  end

  def serve(uid: nil, lobby: true)
    obstacle = ConfinedServer.obstacle
    skip obstacle if obstacle

    ConfinedServer.open(app: APP, config: "worker_processes 2", uid: uid, lobby: lobby) { |server| yield server }
  end

  { "workers" => false, "the lobby" => true }.each do |name, lobby|
    test "with a read-only root #{name} take large uploads, and the server reforks" do
      serve(lobby: lobby) do |server|
        assert_equal [LARGE.to_s, "false"], upload(server).split.first(2)
        server.signal(:USR2)
        server.wait(60) { server.settled?(1) }

        assert_equal [LARGE.to_s, "false"], upload(server).split.first(2)
      end
    end
  end

  test "without /proc the server serves and reforks, and has an observer" do
    obstacle = ConfinedServer.obstacle
    skip obstacle if obstacle
    config = "worker_processes 2\nadmin_listen File.join(__dir__, 'admin')"
    WithoutProc.open(app: APP, config: config) do |server|
      server.wait { server.rows(:observer).any?(&:ready?) }

      assert_equal 200, AdminClient.new(server.path("admin")).get("/readyz").status
      assert_match(/\A#{LARGE} /o, upload(server))
      server.signal(:USR2)
      server.wait { server.settled?(1) }

      assert_match(/\A#{LARGE} /o, upload(server))
      assert_equal 1, server.log.lines.grep(%r{/proc|memory is not measured}).size
    end
  end

  test "any user can run the server, without a name, a group and a home" do
    skip "only root can become another user" unless Process.uid.zero?
    uid = (12_345..).find { |number| File.foreach("/etc/passwd").none? { |line| line.split(":")[2] == number.to_s } }
    serve(uid: uid) do |server|
      assert_equal "#{LARGE} false false false", upload(server)
      server.signal(:USR2)
      server.wait(60) { server.settled?(1) }
      server.signal(:TERM)

      assert_equal 0, server.wait_for_end.exitstatus
    end
  end
end
