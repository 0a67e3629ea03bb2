# frozen_string_literal: true

# A large application, as it is after years. LARGE_MIB (1000) is about the memory in MiB of a process that has served
# all of its 100 pages: a third of it is there at boot (models, routes, translations, a graph of objects), and each page
# fills a cache of its own when it is first requested. Every request lets the heap age: it writes to old objects here
# and there, and keeps a new session in the place of an older one.
MIB = Integer(ENV.fetch("LARGE_MIB", "1000"))
PAGES = 100
ENTRIES = MIB * 25 # of a page's cache
READ = 2000 # nodes that a request shows
WAIT_SECONDS = 0.005 # for a database

Node = Struct.new(:id, :name, :price, :tags, :seen)

module Large
  METHODS = 40 # of each model

  # Code that takes memory when it is loaded, and more when it has run.
  def self.model(number)
    methods = Array.new(METHODS) do |nth|
      "def line_#{nth}(node) = node.seen > #{nth} ? \"\#{node.name[0, 8]} #{nth}\" : " \
        "[node.price * #{number}, label].join\n"
    end
    Class.new { class_eval("def label = \"model #{number}\"\n#{methods.join}", "app/models/model_#{number}.rb") }.new
  end

  def self.node(id) = Node.new(id, "the name of object number #{id}, which is long enough", id * 1.1, [id, "tag"], 0)

  def self.texts(locale)
    Array.new(MIB * 40) { |nth| [:"screen_#{nth}", "the text of screen number #{nth} in #{locale}, with %{name}"] }.to_h
  end

  def self.session(random)
    { id: random.bytes(16), cart: Array.new(random.rand(1..12)) { |nth| "item #{nth} of #{random.rand(1000)}" } }
  end
end

MODELS = Array.new(MIB) { |number| Large.model(number) }
ROUTES = Array.new(MIB * 5) { |number| [%r{\A/resources_#{number}/(?<id>\d+)\z}, number] }
TEXTS = %i[en de fr pl ja].to_h { |locale| [locale, Large.texts(locale)] }
GRAPH = Array.new(MIB * 1000) { |id| Large.node(id) }
SESSIONS = Array.new(MIB * 50)
CACHES = Array.new(PAGES)

module Large
  class << self
    def page(number)
      cache = CACHES[number % PAGES] ||= Array.new(ENTRIES) { |nth| node((number * ENTRIES) + nth) }
      random = Random.new
      age(random)
      Array.new(READ) { |nth| line(cache[(nth * 13) % ENTRIES], number + nth) }.join("\n")
    end

    private

    def line(node, nth)
      MODELS[nth % MODELS.size].public_send("line_#{nth % METHODS}", node) + TEXTS[:en].fetch(:"screen_#{nth % MIB}")
    end

    def age(random)
      20.times { GRAPH[random.rand(GRAPH.size)].seen += 1 }
      SESSIONS[random.rand(SESSIONS.size)] = session(random)
    end
  end
end

run(lambda do |env|
  number = env["PATH_INFO"][/\A\/page\/(\d+)\z/, 1]
  sleep WAIT_SECONDS
  body = number ? Large.page(number.to_i) : "no page"
  [200, { "content-type" => "text/plain", "content-length" => body.bytesize.to_s }, [body]]
end)
