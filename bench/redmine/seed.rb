# frozen_string_literal: true

# Example data for Redmine, the same each time: 5 projects with 500 issues, their journals, wiki pages and news,
# readable by anonymous users. Run it once with `rails runner`, in an empty database with Redmine's default data.
class Seed
  PROJECTS = 5
  ISSUES = 500
  PAGES = 12
  NEWS = 8
  CHANGES = 5 # of an issue, at most
  MODULES = %w[issue_tracking wiki news calendar gantt time_tracking].freeze
  WORDS = %w[server worker request memory page issue project release patch build test query cache thread
             error report search client upload download header parser socket monitor refork kernel graph
             plan budget road map].freeze
  YEAR_END = Time.utc(2025, 12, 31)
  HOURS = 8760
  SCATTER = 7919

  def initialize
    @random = Random.new(1)
    @users = Array.new(8) { |i| user(i) }
  end

  def run
    User.current = User.find_by!(login: "admin")
    projects = Array.new(PROJECTS) { |i| project(i) }
    ISSUES.times { |i| issue(i, projects[i % PROJECTS]) }
    spread_over_a_year
    puts "#{Project.count} projects, #{Issue.count} issues, #{Journal.count} journals, #{WikiPage.count} wiki pages"
  end

  private

  def user(number)
    User.create!(login: "user#{number}", firstname: WORDS[number].capitalize, lastname: "Example",
      mail: "user#{number}@example.net", password: "of no use #{number}", language: "en")
  end

  def project(number)
    project = Project.create!(name: "Project #{WORDS[number]}", identifier: "project-#{number}", description: text(2),
      is_public: true, enabled_module_names: MODULES, trackers: Tracker.all)
    @users.each { |user| Member.create!(project: project, user_id: user.id, roles: [Role.find_by!(name: "Developer")]) }
    4.times { |i| Version.create!(project: project, name: "#{i}.0", due_date: Date.new(2025, 1 + (3 * i), 1)) }
    6.times { |i| IssueCategory.create!(project: project, name: WORDS[i]) }
    NEWS.times do
      News.create!(project: project, author: User.current, title: sentence(4), summary: sentence(8),
        description: text(2))
    end
    wiki(project)
    project.reload
  end

  def wiki(project)
    wiki = project.wiki || Wiki.create!(project: project, start_page: "Wiki")
    ["Wiki", *Array.new(PAGES) { |i| "Page_#{i}" }].each do |title|
      page = WikiPage.new(wiki: wiki, title: title)
      page.save_with_content(WikiContent.new(page: page, author: pick(@users), text: "{{toc}}\n\n#{text(8)}"))
    end
  end

  def issue(number, project)
    issue = Issue.create!(project: project, tracker: pick(project.trackers), author: pick(@users),
      assigned_to: pick(@users), subject: sentence(6), description: text(2), status: IssueStatus.first,
      priority: pick(IssuePriority.all), fixed_version: pick(project.versions),
      category: pick(project.issue_categories), start_date: Date.new(2025, 1, 1) + (number % 300))
    (1 + @random.rand(CHANGES)).times { change(issue.id) }
  end

  # Loads the issue each time, because an instance keeps the journal that it has begun.
  def change(id)
    issue = Issue.find(id)
    issue.init_journal(pick(@users), text(1))
    issue.update!(status: pick(IssueStatus.all), done_ratio: 10 * @random.rand(11))
  end

  # Spreads the dates, so that a page of activity shows some days rather than everything.
  def spread_over_a_year
    [Issue, Journal].each do |model|
      model.find_each { |record| record.update_columns(created_on: YEAR_END - ((record.id * SCATTER) % HOURS).hours) }
    end
    Issue.update_all("updated_on = created_on")
  end

  def text(paragraphs)
    Array.new(paragraphs) do
      "h3. #{sentence(3)}\n\n* #{sentence(9)}\n* _#{sentence(7)}_\n\n#{sentence(30)} See #1 and [[Wiki]].\n\n" \
        "<pre><code class=\"ruby\">\nputs \"#{sentence(4)}\"\n</code></pre>"
    end.join("\n\n")
  end

  def sentence(words) = "#{Array.new(words) { pick(WORDS) }.join(" ").capitalize}."
  def pick(list) = list.to_a.sample(random: @random)
end

ActionMailer::Base.perform_deliveries = false
Setting.notified_events = []
Setting.text_formatting = "textile"
Seed.new.run
