// Static files of the page, served from memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/http/site.h"

namespace hymt::server {

struct Asset {
  std::string path;          // "/" or "/js/main.js"
  std::string content_type;  // "text/javascript; charset=utf-8"
  std::string_view bytes;    // outlives the site
  std::string etag;          // quoted: "\"5d41...\""
};

// One GET route for each, with conditional requests, and headers that let the page load nothing
// but itself.
void add_assets(http::Site& site, const std::vector<Asset>& assets);

// Whether If-None-Match lists the tag (RFC 9110, 13.1.2: weak comparison) or is "*".
bool etag_matches(std::string_view if_none_match, std::string_view etag);

}  // namespace hymt::server
