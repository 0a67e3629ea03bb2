# frozen_string_literal: true

require_relative "../application_system_test_case"

# With the data that bin/prepare makes.
class ShoppingTest < ApplicationSystemTestCase
  test "a visitor puts a product in the basket" do
    visit "/products?stock=1"
    first("main a[href^='/products/']").click
    name = find("article.product h1").text
    click_button "Put in the basket"
    assert_current_path "/cart"
    visit "/cart"

    assert_text name
  end

  test "a page that is streamed arrives whole" do
    visit "/live"

    assert_selector "footer"
    assert_equal 200, page.driver.network_traffic.first.response.status
  end
end
