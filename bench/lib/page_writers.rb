# frozen_string_literal: true

module Bench
  # Tells by the C functions on the stack of a page fault what the process was doing when it first wrote to the page.
  module PageWriters
    STACK = 12 # innermost functions that are considered: further out is only the request

    # The first that matches counts. :leaf patterns are for the innermost function, :stack patterns for any.
    TABLE = [
      ["fork, start of threads", :stack, /__libc_fork|thread_atfork|after_fork|nt_start|pthread_create|thread_do/],
      ["YJIT: lists of branches, written while marking", :leaf, /\Arb_yjit_iseq_mark/],
      ["GC: dead objects and their buffers", :stack, /gc_sweep|obj_free|gc_free/],
      ["GC: new heap pages", :stack, /heap_add_page|heap_page_alloc|heap_page_create/],
      ["GC: marking", :stack, /gc_mark|rgengc|gc_start|mark_and_move/],
      ["YJIT: compiling", :stack, /yjit|hashbrown/],
      ["SQLite: connection, page cache, statements", :stack, /sqlite3|pcache|btree|walIndex/i],
      ["new objects in free slots", :leaf, /newobj|class_allocate|ractor_cache/],
      ["malloc: buffers in holes", :leaf, /malloc|realloc|calloc|_int_free|unlink_chunk|\Ac?free|arena_|tcache/],
      ["constant caches", :stack, /getconstant|vm_ic_/],
      ["method caches", :leaf, /callable_method|search_method|vm_search|gccct|id_table|callee_setup|vm_cc|
                               call_iseq_setup|vm_sendish|call0|writebarrier/x],
      ["instruction sequences: call counters, call data", :leaf, /\A(?:rb_)?vm_|\Arb_iseq_|jit_exec|jit_compile/],
      ["regexps: use counters", :leaf, /rb_reg|onig|match_at/],
      ["tables of symbols and frozen strings", :stack, /fstring|rb_intern|dsymbol|sym_/],
      ["contents of strings, arrays, hashes, objects", :leaf, /mem(?:move|cpy|set)|st_|ary|hash|str_|rb_str|ivar|enc/]
    ].freeze

    OTHER = "other"
    UNKNOWN = "[unknown]" # machine code of YJIT, beyond which perf cannot look

    # functions: the innermost first.
    #: (Array[String]) -> String
    def self.of(functions)
      near = functions.first(STACK)
      leaf = near.find { |name| name != UNKNOWN }.to_s
      found = TABLE.find do |_, where, pattern|
        where == :leaf ? leaf.match?(pattern) : near.any? { |name| name.match?(pattern) }
      end
      found ? found.first : OTHER
    end
  end
end
